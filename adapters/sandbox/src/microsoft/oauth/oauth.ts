import { tenantIdOf } from '../identity.ts';
import type { MicrosoftWorld } from '../state.ts';
import { authorizeEndpoint } from './authorize-endpoint.ts';
import { errorPage } from './consent-page.ts';
import { publicKeys } from './id-token.ts';
import { tokenEndpoint } from './token-endpoint.ts';

function isTenant(world: MicrosoftWorld, tenant: string): boolean {
  if (['common', 'organizations', 'consumers'].includes(tenant)) return true;
  return Object.values(world.state.mailboxes).some(
    ({ email }) => tenantIdOf(email) === tenant || email.split('@')[1] === tenant.toLowerCase(),
  );
}

function discovery(root: string, tenant: string): object {
  const base = `${root}/${tenant}`;
  const isTemplate = ['common', 'organizations', 'consumers'].includes(tenant);
  return {
    issuer: isTemplate ? `${root}/{tenantid}/v2.0` : `${base}/v2.0`,
    authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
    token_endpoint: `${base}/oauth2/v2.0/token`,
    jwks_uri: `${base}/discovery/v2.0/keys`,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
  };
}

/** Answers authorize, token, keys and discovery of a tenant; undefined for any other path. */
export async function identityPlatform(
  world: MicrosoftWorld,
  request: Request,
  root: string,
): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  const [, tenant = '', ...rest] = pathname.split('/');
  const what = `${request.method} ${rest.join('/')}`;
  const known = [
    'GET oauth2/v2.0/authorize',
    'POST oauth2/v2.0/authorize',
    'POST oauth2/v2.0/token',
    'GET discovery/v2.0/keys',
    'GET v2.0/.well-known/openid-configuration',
  ];
  if (!known.includes(what)) return undefined;
  if (!isTenant(world, tenant)) return errorPage(90002, `Tenant '${tenant}' not found.`);
  if (rest[2] === 'authorize') return authorizeEndpoint(world, request, root, pathname);
  if (rest[2] === 'token') return tokenEndpoint(world, request, root);
  if (rest[2] === 'keys') return Response.json(await publicKeys(world));
  return Response.json(discovery(root, tenant));
}
