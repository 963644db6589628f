import { TokenRefusal } from './token-refusal.ts';

/** Claims of a token that its authorization server vouches for: of a JWT, or of the answer to an introspection. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** Whether two resource identifiers are the same, but for a slash at the end. */
const isSame = (a: unknown, b: string): boolean =>
  typeof a === 'string' && (a === b || (a.endsWith('/') ? a.slice(0, -1) === b : `${a}/` === b));

/** @throws TokenRefusal for a token for another resource, or one that only the holder of a key may use */
export function checkUse(claims: TokenClaims, audience: string): void {
  const { aud, cnf } = claims;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.some((each) => isSame(each, audience))) {
    throw new TokenRefusal('invalid_token', 'The token is for another resource.');
  }
  // DPoP (RFC 9449 §7.1) and certificates (RFC 8705 §3): as a bearer token it may have been stolen.
  if (cnf !== undefined)
    throw new TokenRefusal('invalid_token', 'The token is bound to a key, and is no bearer token.');
}

/** Returns the scopes of a token: `scope` of RFC 9068, or `scp` of other servers, a list or a text. */
export function scopesOf({ scope, scp }: TokenClaims): ReadonlySet<string> {
  const written: unknown = scope ?? scp;
  if (Array.isArray(written)) return new Set(written.filter((each) => typeof each === 'string'));
  return new Set(typeof written === 'string' ? written.split(' ').filter((each) => each !== '') : []);
}

/** Printable ASCII, as OpenID Connect has subjects. */
const NAME = /^[\x21-\x7e]{1,255}$/;

/** Returns who has the token, and by which client: the same for every token of both. @throws TokenRefusal for none */
export function subjectOf({ sub, client_id, azp }: TokenClaims): string {
  const client = client_id ?? azp;
  const names = [sub, client].filter((name) => typeof name === 'string' && NAME.test(name));
  if (names.length === 0) throw new TokenRefusal('invalid_token', 'The token names neither a subject nor a client.');
  return names.join(' ');
}
