import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { KalendsError } from 'kalends';
import type { Clock } from 'kalends/ports';
import type { TokenClaims } from './token-claims.ts';
import { TokenRefusal } from './token-refusal.ts';

/** Signatures of key pairs alone: with HS256 a public key would serve as the secret, and none proves nothing. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** Types of access tokens; many servers write `JWT`. @see RFC 9068 §2.1 */
const TYPES = new Set([undefined, 'at+jwt', 'application/at+jwt', 'jwt']);

/**
 * Returns the claims of a JWT after a check of its signature, issuer and times.
 * @throws TokenRefusal, KalendsError ProviderUnavailable when the keys cannot be read
 */
export async function verifyJwt(
  token: string,
  {
    keys,
    issuer,
    clock,
    leewaySeconds,
  }: {
    readonly keys: JWTVerifyGetKey;
    readonly issuer: string;
    readonly clock: Clock;
    readonly leewaySeconds: number;
  },
): Promise<TokenClaims> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer,
      algorithms: ALGORITHMS,
      clockTolerance: leewaySeconds,
      currentDate: new Date(clock.now()),
      requiredClaims: ['iss', 'exp', 'aud'],
    });
    if (TYPES.has(protectedHeader.typ?.toLowerCase())) return payload;
  } catch (error) {
    if (KalendsError.isInstance(error)) throw error;
    if (error instanceof errors.JWTExpired) throw new TokenRefusal('invalid_token', 'The token has expired.', error);
    throw new TokenRefusal('invalid_token', 'The token is none of the authorization server of this resource.', error);
  }
  throw new TokenRefusal('invalid_token', 'The token is no access token.');
}
