/** The cookie that ties a browser to the authorization it began: one per state, so that several tabs do not collide. */
export interface AuthorizationCookie {
  /** Set-Cookie value for the first leg. */
  issue(stateHash: string, nonce: string, maxAgeSeconds: number): string;
  /** Set-Cookie value that removes it. */
  clear(stateHash: string): string;
  /** The nonce in a Cookie header, undefined when it has none for this state. */
  read(stateHash: string, cookieHeader: string | null): string | undefined;
}

/** `secure`: the public URL is https. Over http browsers drop the `__Host-` prefix and Secure. */
export function createAuthorizationCookie(secure: boolean): AuthorizationCookie {
  const name = (stateHash: string) => `${secure ? '__Host-' : ''}kalends-authorization-${stateHash.slice(0, 16)}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return {
    issue: (stateHash, nonce, maxAgeSeconds) => `${name(stateHash)}=${nonce}; Max-Age=${maxAgeSeconds}; ${attributes}`,
    clear: (stateHash) => `${name(stateHash)}=; Max-Age=0; ${attributes}`,
    read(stateHash, cookieHeader) {
      const prefix = `${name(stateHash)}=`;
      const pair = (cookieHeader ?? '')
        .split(';')
        .map((part) => part.trim())
        .find((part) => part.startsWith(prefix));
      return pair?.slice(prefix.length);
    },
  };
}
