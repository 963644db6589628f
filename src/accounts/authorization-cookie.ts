/** Flows that one browser may have under way: their cookies stay far below the limit that hosts set for headers. */
const MOST_COOKIES = 8;
const PREFIX = 'kalends-authorization-';

/** The flow that a cookie belongs to. */
interface CookieFlow {
  /** Hex. */
  readonly stateHash: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The cookie that ties a browser to the authorization it began: one per state, so that several tabs do not collide. */
export interface AuthorizationCookie {
  /** Set-Cookie values of the first leg: the new cookie, and the removal of the oldest beyond eight. */
  issue(flow: CookieFlow, nonce: string, maxAgeSeconds: number, cookieHeader: string | null): readonly string[];
  /** Set-Cookie value that removes it. */
  clear(flow: CookieFlow): string;
  /** The nonce in a Cookie header, undefined when it has none for this state. */
  read(flow: CookieFlow, cookieHeader: string | null): string | undefined;
}

/** `secure`: the public URL is https. Over http browsers drop the `__Host-` prefix and Secure. */
export function createAuthorizationCookie(secure: boolean): AuthorizationCookie {
  const prefix = `${secure ? '__Host-' : ''}${PREFIX}`;
  // The name tells the age: the order in a Cookie header is a custom of browsers only (RFC 6265 §5.4).
  const nameOf = ({ stateHash, expiresAt }: CookieFlow) =>
    `${prefix}${Math.floor(expiresAt / 1000)}-${stateHash.slice(0, 16)}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const removal = (name: string) => `${name}=; Max-Age=0; ${attributes}`;
  const ageOf = (name: string) => Number(/^\d+(?=-)/.exec(name.slice(prefix.length))?.[0] ?? 0);
  return {
    issue(flow, nonce, maxAgeSeconds, cookieHeader) {
      const earlier = [...new Set(pairsOf(cookieHeader).map(([name]) => name))].filter((name) => isOurs(name, prefix));
      const oldest = earlier.sort((one, other) => ageOf(other) - ageOf(one)).slice(MOST_COOKIES - 1);
      return [`${nameOf(flow)}=${nonce}; Max-Age=${maxAgeSeconds}; ${attributes}`, ...oldest.map(removal)];
    },
    clear: (flow) => removal(nameOf(flow)),
    read: (flow, cookieHeader) => pairsOf(cookieHeader).find(([name]) => name === nameOf(flow))?.[1],
  };
}

function pairsOf(cookieHeader: string | null): readonly (readonly [name: string, value: string])[] {
  return (cookieHeader ?? '').split(';').flatMap((part) => {
    const equals = part.indexOf('=');
    return equals < 0 ? [] : [[part.slice(0, equals).trim(), part.slice(equals + 1).trim()] as const];
  });
}

/** Names are written into a header again: only those of our own form are. */
function isOurs(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && /^[\w-]+$/.test(name);
}
