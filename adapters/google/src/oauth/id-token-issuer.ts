import { decodeJwt } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import { z } from 'zod';
import { GOOGLE_ENDPOINTS } from '../endpoints.ts';

/**
 * Google's issuer as legacy id_tokens spell it.
 * @see https://developers.google.com/identity/openid-connect/reference#discovery-document
 */
const BARE_ISSUER = 'accounts.google.com';

const tokenAnswer = z.object({ id_token: z.string() });

/**
 * Returns the server under the spelling of Google's issuer that the id_token of its answer has. The token is not verified yet: any
 * other issuer leaves the server as it is, and is refused by the checks that follow.
 * @throws when the answer cannot be read
 */
export async function serverNamedBy(response: Response, server: AuthorizationServer): Promise<AuthorizationServer> {
  if (server.issuer !== GOOGLE_ENDPOINTS.oauth.issuer) return server;
  const { data } = tokenAnswer.safeParse(await response.clone().json());
  const isBare = data !== undefined && decodeJwt(data.id_token).iss === BARE_ISSUER;
  return isBare ? { ...server, issuer: BARE_ISSUER } : server;
}
