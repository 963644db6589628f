import { ControlError, type SandboxServer } from '../../kernel/kernel.ts';
import { type IssuedAccessToken, issueAccessToken } from '../access-token.ts';

// biome-ignore lint/suspicious/noExplicitAny: the wire form of either provider
export type Wire = any;

/** Calls a provider's API as one person. @throws ControlError with the provider's own words when it refuses */
export type PersonCall = (method: string, path: string, body?: Wire) => Promise<Wire>;

const ROOT = 'http://sandbox.invalid';

/** The bearer tokens in use, by provider and mailbox. */
export interface PersonTokens {
  tokenOf(provider: SandboxServer, email: string): Promise<string>;
  /** Forgets the token of a mailbox, which the provider has refused. */
  forget(provider: SandboxServer, email: string): void;
}

/** Creates the store of bearer tokens: one that is issued for each call would fill the saved state. */
export function createPersonTokens(now: () => number): PersonTokens {
  const issued = new WeakMap<SandboxServer, Map<string, Promise<IssuedAccessToken>>>();
  const tokensOf = (provider: SandboxServer) => {
    const tokens = issued.get(provider) ?? new Map<string, Promise<IssuedAccessToken>>();
    issued.set(provider, tokens);
    return tokens;
  };
  return {
    async tokenOf(provider, email) {
      const tokens = tokensOf(provider);
      const known = await tokens.get(email);
      if (known !== undefined && known.expiresAt > now()) return known.accessToken;
      const fresh = issueAccessToken(provider, { email }, now());
      tokens.set(email, fresh);
      return (await fresh).accessToken;
    },
    forget: (provider, email) => void tokensOf(provider).delete(email),
  };
}

/**
 * Creates the calls of one mailbox. They reach the same code as calls over HTTP, push notifications included, but no injected
 * fault, and they are not recorded: nothing of them comes from the application under test.
 */
export function callsAs(
  provider: SandboxServer,
  tokens: PersonTokens,
  { email, headers = {} }: { readonly email: string; readonly headers?: Readonly<Record<string, string>> },
): PersonCall {
  const send = async (method: string, path: string, body: Wire): Promise<Response> => {
    const authorization = `Bearer ${await tokens.tokenOf(provider, email)}`;
    const request = new Request(`${ROOT}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return await provider.fetch(request, ROOT);
  };
  return async (method, path, body) => {
    let response = await send(method, path, body);
    if (response.status === 401) {
      // A control has ended it before its time.
      tokens.forget(provider, email);
      response = await send(method, path, body);
    }
    const text = await response.text();
    const answer: Wire = text === '' ? null : JSON.parse(text);
    if (!response.ok) throw refusal(response.status, answer?.error);
    return answer;
  };
}

function refusal(status: number, error: Wire): ControlError {
  const reason = error?.errors?.[0]?.reason ?? error?.code ?? 'error';
  const isAboutId = status === 404 || status === 410 || reason === 'ErrorInvalidIdMalformed';
  const field = isAboutId ? 'id: ' : '';
  return new ControlError(`${field}the provider answers ${status} ${reason}: ${error?.message ?? 'no message'}`);
}
