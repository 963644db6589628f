import type { ProviderSession } from 'kalends/ports';

/**
 * Returns the Authorization header of a session; undefined for an address that is its own secret. `refused` is the header that a
 * server has just answered with 401.
 */
export async function authorizationOf(session: ProviderSession, refused?: string): Promise<string | undefined> {
  if (session.credentials === undefined) return bearer(await session.accessToken(refused?.slice('Bearer '.length)));
  const credentials = await session.credentials();
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
