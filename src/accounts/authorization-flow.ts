import { createHash, createHmac } from 'node:crypto';
import { invalid } from '../errors.ts';
import type { ByteSealer } from '../runtime/index.ts';

/** The longest `state` that is sent to a provider. */
const LONGEST_TOKEN = 2_048;
const VERSION = 1;
const SEED_BYTES = 32;
const DIGEST_BYTES = 16;
const TIME_BYTES = 6;
/** Length of a text that is absent. */
const ABSENT = 0xffff;

/** An authorization between its two redirects. It is kept in the `state` alone: no storage holds it. */
export interface AuthorizationFlow {
  /** 32 random bytes; PKCE verifier, OIDC nonce and the browser's nonce are derived from them. */
  readonly seed: Uint8Array;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly applicationId: string;
  readonly providerType: string;
  /** `digestOf` the redirect URL, to be found again among the registered ones. */
  readonly redirectUrl: Uint8Array;
  /** `digestOf` the mailbox that the person must sign in with, null for any. */
  readonly loginHint: Uint8Array | null;
  readonly externalId: string | null;
  /** The application's own state. */
  readonly state: string | null;
}

/**
 * Seals a flow into at most 2,048 URL-safe characters. 1,024 ASCII characters of state beside 255 of externalId always fit.
 * @throws KalendsError InvalidRequest on `state` when state and externalId have too many bytes in UTF-8
 */
export function sealFlow(sealer: ByteSealer, flow: AuthorizationFlow): string {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeUIntBE(flow.expiresAt, 0, TIME_BYTES);
  const token = sealer.seal(
    Buffer.concat([
      Buffer.of(VERSION),
      flow.seed,
      time,
      flow.redirectUrl,
      Buffer.of(flow.loginHint === null ? 0 : 1),
      flow.loginHint ?? Buffer.alloc(0),
      ...[flow.applicationId, flow.providerType, flow.externalId, flow.state].map(encodeText),
    ]),
  );
  if (token.length > LONGEST_TOKEN) {
    throw invalid('state', 'has too many bytes in UTF-8 together with externalId: at most 1,300 always fit');
  }
  return token;
}

/** Opens a state. Undefined when it is not ours, was altered, or was made by another version. */
export function openFlow(sealer: ByteSealer, token: string): AuthorizationFlow | undefined {
  if (token.length > LONGEST_TOKEN) return undefined;
  const bytes = sealer.open(token);
  if (bytes === undefined || bytes[0] !== VERSION) return undefined;
  let position = 1;
  const take = (length: number) => {
    position += length;
    return bytes.subarray(position - length, position);
  };
  const takeText = () => {
    const length = take(2).readUInt16BE();
    return length === ABSENT ? null : take(length).toString('utf8');
  };
  const seed = take(SEED_BYTES);
  const expiresAt = take(TIME_BYTES).readUIntBE(0, TIME_BYTES);
  const redirectUrl = take(DIGEST_BYTES);
  const loginHint = take(1)[0] === 1 ? take(DIGEST_BYTES) : null;
  const [applicationId, providerType, externalId, state] = [takeText(), takeText(), takeText(), takeText()];
  if (applicationId === null || providerType === null) return undefined;
  return { seed, expiresAt, redirectUrl, loginHint, applicationId, providerType, externalId, state };
}

/** Returns a secret of the flow, 43 URL-safe characters: one does not tell the others. */
export function flowSecret({ seed }: AuthorizationFlow, purpose: 'verifier' | 'nonce' | 'browser'): string {
  return createHmac('sha256', seed).update(purpose).digest('base64url');
}

/** Returns 16 bytes that stand for a text in a sealed flow. */
export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest().subarray(0, DIGEST_BYTES);
}

function encodeText(text: string | null): Buffer {
  const bytes = Buffer.from(text ?? '', 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text === null ? ABSENT : bytes.length);
  return Buffer.concat([length, bytes]);
}
