import { createHash } from 'node:crypto';
import { isPersonal } from '../identity.ts';
import { findMailbox, type MicrosoftWorld, type StoredClient, type StoredGrant } from '../state.ts';
import { ACCESS_TOKEN_SECONDS, createAccessToken, createRefreshToken, shortScope } from './grants.ts';
import { createIdToken } from './id-token.ts';
import { TokenError, tokenErrorResponse } from './oauth-error.ts';

const DAY_MS = 86_400_000;
const CODE_LIFE_MS = 600_000;
/** A refresh token expires when it is unused for this long. */
const INACTIVITY_MS = 90 * DAY_MS;

function clientCredentials(request: Request, form: URLSearchParams): { id: string | null; secret: string | null } {
  const basic = /^Basic\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (!basic) return { id: form.get('client_id'), secret: form.get('client_secret') };
  const [id = '', ...secret] = Buffer.from(basic, 'base64').toString('utf8').split(':');
  return { id: decodeURIComponent(id), secret: decodeURIComponent(secret.join(':')) };
}

function authenticate(world: MicrosoftWorld, request: Request, form: URLSearchParams): StoredClient {
  const { id, secret } = clientCredentials(request, form);
  if (!id) throw new TokenError(900144, "The request body must contain the following parameter: 'client_id'.");
  const client = world.state.clients[id];
  if (!client) throw new TokenError(700016);
  if (!secret) throw new TokenError(7000218);
  if (![client.clientSecret, client.secondSecret].includes(secret)) throw new TokenError(7000215);
  if (client.isSecretExpired === true) throw new TokenError(7000222);
  return client;
}

/** Throws the error that a control has planned for this person's next token requests. */
function failAsPlanned(world: MicrosoftWorld, email: string): void {
  const { settings } = world.state;
  const planned = settings.plannedTokenErrors.find((each) => each.email === null || each.email === email);
  if (!planned) return;
  planned.times -= 1;
  settings.plannedTokenErrors = settings.plannedTokenErrors.filter(({ times }) => times > 0);
  world.kernel.touched();
  throw new TokenError(planned.code);
}

function livingGrant(world: MicrosoftWorld, grantId: string, client: StoredClient): StoredGrant {
  const grant = world.state.grants[grantId];
  if (!grant || grant.clientId !== client.clientId) throw new TokenError(70000);
  if (grant.revokedAt !== null) throw new TokenError(50173);
  return grant;
}

interface Issue {
  readonly root: string;
  readonly grantId: string;
  readonly grant: StoredGrant;
  readonly scopes: readonly string[];
  readonly nonce: string | null;
}

async function issueTokens(world: MicrosoftWorld, { root, grantId, grant, scopes, nonce }: Issue): Promise<Response> {
  const mailbox = findMailbox(world.state, grant.email);
  if (!mailbox) throw new TokenError(50034);
  const idToken = scopes.includes('openid')
    ? await createIdToken(world, { root, mailbox, clientId: grant.clientId, nonce, scopes })
    : undefined;
  const isOffline = scopes.includes('offline_access');
  const body = {
    token_type: 'Bearer',
    scope: scopes.filter((scope) => scope !== 'offline_access').join(' '),
    expires_in: ACCESS_TOKEN_SECONDS,
    ext_expires_in: ACCESS_TOKEN_SECONDS,
    access_token: createAccessToken(world, grantId, scopes),
    ...(isOffline ? { refresh_token: createRefreshToken(world, grantId) } : {}),
    ...(idToken === undefined ? {} : { id_token: idToken }),
  };
  return Response.json(body, { headers: { 'cache-control': 'no-store' } });
}

function checkVerifier(challenge: string | null, verifier: string | null): void {
  if (challenge === null) return;
  if (!verifier || createHash('sha256').update(verifier).digest('base64url') !== challenge)
    throw new TokenError(501481);
}

function redeemCode(
  world: MicrosoftWorld,
  root: string,
  client: StoredClient,
  form: URLSearchParams,
): Promise<Response> {
  const code = world.state.codes[form.get('code') ?? ''];
  if (!code) throw new TokenError(70000);
  const grant = livingGrant(world, code.grantId, client);
  if (code.redeemed) throw new TokenError(54005);
  if (code.issuedAt + CODE_LIFE_MS < world.kernel.clock.now()) throw new TokenError(70008);
  if (code.redirectUri !== form.get('redirect_uri')) {
    throw new TokenError(500112, 'The reply address does not match the one of the authorization request.');
  }
  checkVerifier(code.codeChallenge, form.get('code_verifier'));
  failAsPlanned(world, grant.email);
  code.redeemed = true;
  world.kernel.touched();
  return issueTokens(world, { root, grantId: code.grantId, grant, scopes: code.scopes, nonce: code.nonce });
}

/**
 * Returns the scopes of a refresh: those requested, which the person must have granted. More is refused, under another number
 * for personal accounts (RogerSelwyn/MS365-Calendar#72, davmail); these must name some (OneDrive/onedrive-api-docs#1549).
 */
function refreshedScopes(form: URLSearchParams, grant: StoredGrant): readonly string[] {
  const asked = (form.get('scope') ?? '')
    .split(/\s+/)
    .filter((scope) => scope !== '')
    .map(shortScope);
  const isConsumer = isPersonal(grant.email);
  if (asked.length === 0) {
    if (isConsumer) throw new TokenError(70011);
    return grant.scopes;
  }
  const granted = new Set(grant.scopes.map((scope) => scope.toLowerCase()));
  if (asked.some((scope) => scope !== '.default' && !granted.has(scope.toLowerCase()))) {
    throw new TokenError(isConsumer ? 70000 : 65001);
  }
  // A refresh always gives a new refresh token, whether or not offline_access is named again.
  return asked.includes('.default') ? grant.scopes : [...new Set([...asked, 'offline_access'])];
}

function refresh(world: MicrosoftWorld, root: string, client: StoredClient, form: URLSearchParams): Promise<Response> {
  const now = world.kernel.clock.now();
  const token = world.state.refreshTokens[form.get('refresh_token') ?? ''];
  if (!token) throw new TokenError(70000);
  const grant = livingGrant(world, token.grantId, client);
  failAsPlanned(world, grant.email);
  if (token.lastUsedAt + INACTIVITY_MS < now) throw new TokenError(700082);
  const { refreshGraceMs } = world.state.settings;
  if (token.replacedAt !== null && token.replacedAt + refreshGraceMs < now) throw new TokenError(70000);
  const scopes = refreshedScopes(form, grant);
  token.lastUsedAt = now;
  token.replacedAt ??= now;
  world.kernel.touched();
  return issueTokens(world, { root, grantId: token.grantId, grant, scopes, nonce: null });
}

/** POST /{tenant}/oauth2/v2.0/token: authorization_code and refresh_token, client secret in the body or Basic. */
export async function tokenEndpoint(world: MicrosoftWorld, request: Request, root: string): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  try {
    const client = authenticate(world, request, form);
    const grantType = form.get('grant_type');
    if (grantType === 'authorization_code') return await redeemCode(world, root, client, form);
    if (grantType === 'refresh_token') return await refresh(world, root, client, form);
    throw new TokenError(70003, `The app requested an unsupported grant type '${grantType}'.`);
  } catch (error) {
    if (error instanceof TokenError) return tokenErrorResponse(world, error);
    throw error;
  }
}
