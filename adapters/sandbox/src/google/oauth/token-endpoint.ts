import { findMailbox, type GoogleContext } from '../google-context.ts';
import type { Grant, OAuthClient } from '../google-state.ts';
import { mintAccessToken, mintRefreshToken, provesPossession, revokeByToken } from './grants.ts';
import { signIdToken } from './id-token.ts';
import { oauthError } from './oauth-errors.ts';

/** `POST /token`: the grants `authorization_code` and `refresh_token`. */
export async function answerToken(context: GoogleContext, request: Request, issuer: string): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  const client = authenticate(context, form, request.headers.get('authorization'));
  if (client instanceof Response) return client;
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return exchangeCode(context, form, client, issuer);
    case 'refresh_token':
      return refresh(context, form, client, issuer);
    case null:
      return oauthError(400, 'invalid_request', 'Missing required parameter: grant_type');
    default:
      return oauthError(400, 'unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type')}`);
  }
}

/** `POST /revoke`: revokes the whole grant of a refresh or access token. */
export async function answerRevoke(context: GoogleContext, request: Request): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  const token = form.get('token') ?? new URL(request.url).searchParams.get('token');
  if (token === null) return oauthError(400, 'invalid_request', 'Missing required parameter: token');
  if (!revokeByToken(context, token)) return oauthError(400, 'invalid_token', 'Token expired or revoked');
  return Response.json({});
}

async function exchangeCode(
  context: GoogleContext,
  form: URLSearchParams,
  client: OAuthClient,
  issuer: string,
): Promise<Response> {
  const code = context.state.codes[form.get('code') ?? ''];
  const grant = code === undefined ? undefined : context.state.grants[code.grantId];
  const isUsable =
    code !== undefined &&
    grant !== undefined &&
    !code.used &&
    !grant.revoked &&
    grant.clientId === client.clientId &&
    code.expiresAt > context.kernel.clock.now();
  if (!isUsable) return oauthError(400, 'invalid_grant', 'Malformed auth code.');
  if (form.get('redirect_uri') !== code.redirectUri) return oauthError(400, 'redirect_uri_mismatch', 'Bad Request');
  if (!provesPossession(code, form.get('code_verifier'))) {
    return oauthError(400, 'invalid_grant', 'Invalid code verifier.');
  }
  code.used = true;
  context.kernel.touched();
  const refreshToken = code.offline ? mintRefreshToken(context, grant) : undefined;
  return tokens(context, { grant, scopes: code.scopes, nonce: code.nonce, issuer, refreshToken });
}

async function refresh(
  context: GoogleContext,
  form: URLSearchParams,
  client: OAuthClient,
  issuer: string,
): Promise<Response> {
  const token = form.get('refresh_token');
  if (token === null) return oauthError(400, 'invalid_request', 'Missing required parameter: refresh_token');
  const stored = context.state.refreshTokens[token];
  if (stored === undefined) return oauthError(400, 'invalid_grant', 'Bad Request');
  const grant = context.state.grants[stored.grantId];
  if (grant === undefined || grant.revoked)
    return oauthError(400, 'invalid_grant', 'Token has been expired or revoked.');
  if (grant.clientId !== client.clientId) return oauthError(401, 'unauthorized_client', 'Unauthorized');
  return tokens(context, { grant, scopes: grant.scopes, nonce: null, issuer, refreshToken: undefined });
}

async function tokens(
  context: GoogleContext,
  input: {
    readonly grant: Grant;
    readonly scopes: readonly string[];
    readonly nonce: string | null;
    readonly issuer: string;
    readonly refreshToken: string | undefined;
  },
): Promise<Response> {
  const { grant, scopes, issuer } = input;
  const mailbox = findMailbox(context, grant.email);
  if (mailbox === undefined) return oauthError(400, 'invalid_grant', 'Account has been deleted');
  const { accessToken, expiresAt } = mintAccessToken(context, grant, scopes);
  const idToken = scopes.includes('openid')
    ? await signIdToken(context, { mailbox, clientId: grant.clientId, issuer, nonce: input.nonce })
    : undefined;
  const body = {
    access_token: accessToken,
    expires_in: Math.round((expiresAt - context.kernel.clock.now()) / 1000),
    ...(input.refreshToken === undefined ? {} : { refresh_token: input.refreshToken }),
    scope: scopes.join(' '),
    token_type: 'Bearer',
    ...(idToken === undefined ? {} : { id_token: idToken }),
  };
  return Response.json(body, { headers: { 'cache-control': 'no-store' } });
}

/** Authenticates the client by body or by Basic header (RFC 6749 §2.3.1). */
function authenticate(
  context: GoogleContext,
  form: URLSearchParams,
  authorization: string | null,
): OAuthClient | Response {
  let clientId = form.get('client_id');
  let clientSecret = form.get('client_secret');
  const basic = /^Basic\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  if (basic !== undefined) {
    const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':', 2);
    clientId = decodeForm(id);
    clientSecret = decodeForm(secret);
  }
  if (clientId === null) return oauthError(400, 'invalid_request', 'Could not determine client ID from request.');
  const client = context.state.clients[clientId];
  if (client === undefined) return oauthError(401, 'invalid_client', 'The OAuth client was not found.');
  if (clientSecret === null || ![client.clientSecret, client.secondSecret].includes(clientSecret))
    return oauthError(401, 'invalid_client', 'Unauthorized');
  return client;
}

function decodeForm(text: string): string {
  return new URLSearchParams(`value=${text}`).get('value') ?? '';
}
