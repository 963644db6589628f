import type { AccountCredentials, ProviderSession } from 'kalends/ports';

/**
 * Returns the Authorization header of a session; undefined for an address that is its own secret. `refused` is the header that a
 * server has just answered with 401: the session proves the credentials again. @throws ProviderError invalid-grant for dead ones
 */
export async function authorizationOf(
  session: ProviderSession,
  refused?: { readonly header: string | undefined },
): Promise<string | undefined> {
  if (session.credentials === undefined) {
    return bearer(await session.accessToken(refused?.header?.slice('Bearer '.length)));
  }
  const credentials = await session.credentials();
  const header = headerOf(credentials);
  // Others may have replaced them meanwhile.
  if (refused === undefined || header !== refused.header) return header;
  return headerOf(await session.credentials(credentials));
}

function headerOf(credentials: AccountCredentials): string | undefined {
  switch (credentials.kind) {
    case 'password':
      return basic(credentials);
    case 'bearer':
      return bearer(credentials.token);
    case 'url':
      return undefined;
  }
}

const bearer = (token: string): string => `Bearer ${token}`;

/** @see RFC 7617 §2.1: UTF-8 */
function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}
