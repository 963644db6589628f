import { type Answer, fetchAnswer, readRetryAfter, repeatTransient } from '@kalends/provider-transport';
import { KeyringError, ProviderError } from 'kalends/ports';
import { z } from 'zod';
import type { VaultSettings } from './options.ts';
import { isPassing, type TransitOperation, transitFailure } from './transit-failure.ts';

/** Encrypts and decrypts under one named key of the transit secrets engine. */
export interface TransitClient {
  /** Returns the ciphertext, under the latest version of the key. `binding` has to be the same when it is decrypted. */
  encrypt(plaintext: Uint8Array, binding: string): Promise<string>;
  decrypt(ciphertext: string, binding: string): Promise<Buffer>;
}

const encrypted = z.object({ data: z.object({ ciphertext: z.string() }) });
const decrypted = z.object({ data: z.object({ plaintext: z.base64() }) });

/** Creates the client. Its methods reject with KeyringError alone. */
export function createTransitClient(settings: VaultSettings): TransitClient {
  const { address, mount, key, transport } = settings;

  const send = async (operation: TransitOperation, body: string, token: string): Promise<Answer> => {
    const init = { method: 'POST', headers: headersOf(settings, token), body };
    const answer = await fetchAnswer(transport, `${address}/v1/${mount}/${operation}/${key}`, init, undefined);
    if (!isPassing(answer)) return answer;
    const retryAfterMs = readRetryAfter(answer.headers.get('retry-after'), transport.clock.now());
    throw new ProviderError('unavailable', 'Vault did not answer', {
      status: answer.status,
      cause: transitFailure(settings, operation, answer),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  };

  /** Sends the request, again after a passing failure, and once more where the token has been replaced meanwhile. */
  const perform = async (operation: TransitOperation, body: string): Promise<Answer> => {
    let token = await readToken(settings);
    let isReplaced = false;
    for (;;) {
      // Neither operation changes anything in Vault.
      const work = () => send(operation, body, token);
      const answer = await repeatTransient(transport, work, { effect: 'none', signal: undefined });
      if (answer.status !== 403 || isReplaced) return answer;
      const replaced = await readToken(settings);
      if (replaced === token) return answer;
      [token, isReplaced] = [replaced, true];
    }
  };

  const call = async <Result>(
    operation: TransitOperation,
    input: Readonly<Record<string, string>>,
    schema: z.ZodType<Result>,
  ): Promise<Result> => {
    let answer: Answer;
    try {
      answer = await perform(operation, JSON.stringify(input));
    } catch (error) {
      throw unreached(settings, error);
    }
    if (answer.status !== 200) throw transitFailure(settings, operation, answer);
    const parsed = schema.safeParse(jsonOf(answer.text));
    if (parsed.success) return parsed.data;
    // The cause would hold a part of the answer.
    throw new KeyringError(
      'unavailable',
      `${address} answers ${operation} otherwise than Vault does: check the address`,
    );
  };

  return {
    async encrypt(plaintext, binding) {
      const input = { plaintext: Buffer.from(plaintext).toString('base64'), ...bindingOf(binding) };
      return (await call('encrypt', input, encrypted)).data.ciphertext;
    },
    async decrypt(ciphertext, binding) {
      const { data } = await call('decrypt', { ciphertext, ...bindingOf(binding) }, decrypted);
      return Buffer.from(data.plaintext, 'base64');
    },
  };
}

/**
 * Binds a ciphertext. `associated_data` is authenticated for every AEAD key; `context` derives a key of its own where the
 * transit key was created with `derived=true`, which demands one, and means nothing to others.
 */
function bindingOf(binding: string) {
  const encoded = Buffer.from(binding, 'utf8').toString('base64');
  return { associated_data: encoded, context: encoded };
}

function headersOf({ namespace }: VaultSettings, token: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    'x-vault-token': token,
    // Vault Agent and proxies refuse requests without it where they are told to, against forged requests of browsers.
    'x-vault-request': 'true',
    ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }),
  };
}

async function readToken({ token }: VaultSettings): Promise<string> {
  try {
    return await token();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KeyringError('unavailable', `the token of Vault cannot be read: ${reason}`, { cause });
  }
}

function unreached({ address }: VaultSettings, error: unknown): unknown {
  if (!ProviderError.isInstance(error)) return error;
  // A passing failure that did not pass.
  if (KeyringError.isInstance(error.cause)) return error.cause;
  const cause = { cause: error };
  if (error.reason === 'timeout') {
    return new KeyringError(
      'unavailable',
      `Vault at ${address} does not answer in time: check its load and the network`,
      cause,
    );
  }
  const reason = rootOf(error);
  return new KeyringError(
    'unavailable',
    `Vault at ${address} cannot be reached (${reason}): check that it runs, and the address`,
    cause,
  );
}

/** Returns the message at the end of a chain of causes: `fetch failed` says nothing. */
function rootOf(error: Error): string {
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error ? rootOf(cause) : error.message;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
