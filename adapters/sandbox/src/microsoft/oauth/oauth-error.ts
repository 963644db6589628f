import { randomGuid } from '../api/graph-error.ts';
import type { MicrosoftWorld } from '../state.ts';

/** Reports a refusal of the token endpoint by its AADSTS number. */
export class TokenError extends Error {
  readonly code: number;

  constructor(code: number, message?: string) {
    super(message ?? MESSAGES[code] ?? 'The request could not be completed.');
    this.name = 'TokenError';
    this.code = code;
  }
}

const MESSAGES: Readonly<Record<number, string>> = {
  50034: 'The user account does not exist in the directory.',
  50057: 'The user account is disabled.',
  50076: 'Due to a configuration change made by your administrator, you must use multi-factor authentication.',
  50079: 'The user must enroll in multi-factor authentication.',
  50173: 'The provided grant has expired due to it being revoked, a fresh auth token is needed.',
  54005: 'OAuth2 Authorization code was already redeemed, please retry with a new valid code.',
  65001: 'The user or administrator has not consented to use the application.',
  70000: 'The provided value for the input parameter is not valid or the grant is expired or revoked.',
  70008: 'The provided authorization code or refresh token has expired due to inactivity.',
  70011:
    "The provided value for the input parameter 'scope' is not valid. The scope '' is not configured for this tenant.",
  70043: 'The refresh token has expired or is invalid due to sign-in frequency checks by conditional access.',
  500011: 'The resource principal was not found in the tenant.',
  501481: 'The Code_Verifier does not match the code_challenge supplied in the authorization request.',
  700016: 'Application was not found in the directory.',
  700082: 'The refresh token has expired due to inactivity.',
  7000215: 'Invalid client secret provided.',
  7000218: "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
  7000222: 'The provided client secret keys for the app are expired.',
};

const INTERACTION = new Set([50076, 50079]);
const CLIENT = new Set([7000215, 7000218, 7000222]);
const REQUEST = new Set([900144, 900971, 90002, 50011]);

/** Returns the OAuth error of an AADSTS code. */
function oauthErrorOf(code: number): string {
  if (INTERACTION.has(code)) return 'interaction_required';
  if (CLIENT.has(code)) return 'invalid_client';
  if (code === 700016) return 'unauthorized_client';
  if (code === 500011) return 'invalid_resource';
  if (code === 70011) return 'invalid_scope';
  if (code === 70003) return 'unsupported_grant_type';
  return REQUEST.has(code) ? 'invalid_request' : 'invalid_grant';
}

/** Renders an error of the token endpoint. */
export function tokenErrorResponse(world: MicrosoftWorld, error: TokenError): Response {
  const name = oauthErrorOf(error.code);
  const now = new Date(world.kernel.clock.now()).toISOString();
  const [traceId, correlationId] = [randomGuid(world), randomGuid(world)];
  const timestamp = `${now.slice(0, 10)} ${now.slice(11, 19)}Z`;
  const body = {
    error: name,
    error_description: `AADSTS${error.code}: ${error.message} Trace ID: ${traceId} Correlation ID: ${correlationId} Timestamp: ${timestamp}`,
    error_codes: [error.code],
    timestamp,
    trace_id: traceId,
    correlation_id: correlationId,
    ...(error.code === 65001 ? { suberror: 'consent_required' } : {}),
  };
  return Response.json(body, {
    status: name === 'invalid_client' ? 401 : 400,
    headers: { 'cache-control': 'no-store' },
  });
}
