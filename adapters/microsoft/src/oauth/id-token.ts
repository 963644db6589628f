import { boundedFetch } from '@kalends/provider-transport';
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { ProviderError, type ProviderFailureReason } from 'kalends/ports';
import type { MicrosoftSettings } from '../options.ts';

/**
 * Identity of the person in a verified id_token. Its address claims (`email`, `preferred_username`, `upn`) are ignored: they
 * can change, and the administrator of the person's tenant sets `email` freely.
 * @see https://learn.microsoft.com/entra/identity-platform/claims-validation
 */
interface IdentityClaims {
  readonly tenantId: string;
  /** Undefined without the scope `profile`. */
  readonly objectId: string | undefined;
}

/** Expected claims of an id_token. */
interface IdTokenExpectation {
  readonly idToken: string;
  readonly clientId: string;
  readonly tenant: string;
  /** Undefined for the id_token of a refresh, which has none. */
  readonly nonce: string | undefined;
}

/** The tenant of personal accounts. @see https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
const CONSUMER_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Tells whether an issuer is a tenant of the sign-in service. */
export function isIssuer(loginUrl: string, issuer: string): boolean {
  const tenant = tenantOfIssuer(loginUrl, issuer);
  return GUID.test(tenant) && issuer === `${loginUrl}/${tenant}/v2.0`;
}

const tenantOfIssuer = (loginUrl: string, issuer: string): string =>
  issuer.slice(`${loginUrl}/`.length, -'/v2.0'.length);

/**
 * Creates the check of id_tokens: signature, audience, times, nonce, and the issuer of the token's own tenant.
 * The check rejects with a ProviderError: invalid-grant for a foreign nonce, operator for a tenant that is not the
 * configured one, malformed for anything else that cannot be trusted, unavailable when the keys cannot be read.
 */
export function createIdTokenVerifier(
  settings: MicrosoftSettings,
): (expectation: IdTokenExpectation) => Promise<IdentityClaims> {
  const fetch = boundedFetch(settings);
  const keySets = new Map<string, JWTVerifyGetKey>();

  function keysOf(tenant: string): JWTVerifyGetKey {
    let keys = keySets.get(tenant);
    if (keys === undefined) {
      const url = new URL(`${settings.loginUrl}/${encodeURIComponent(tenant)}/discovery/v2.0/keys`);
      keys = createRemoteJWKSet(url, { [customFetch]: fetch });
      keySets.set(tenant, keys);
    }
    return keys;
  }

  return async ({ idToken, clientId, tenant, nonce }) => {
    const payload = await verified(idToken, keysOf(tenant), clientId, new Date(settings.clock.now()));
    const { iss = '', tid, oid } = payload;
    // Under `common` every tenant has its own issuer; a fixed one would refuse all other tenants.
    if (!isIssuer(settings.loginUrl, iss)) throw refused('it names no tenant');
    const tenantId = tenantOfIssuer(settings.loginUrl, iss);
    if (oid !== undefined && (typeof oid !== 'string' || oid === '')) throw refused('it names no person');
    if (tid !== undefined && tid !== tenantId) throw refused('its issuer is not that of its tenant');
    if (!admits(tenant, tenantId)) throw refused('its tenant is not the configured one', 'operator');
    if (nonce !== undefined && payload['nonce'] !== nonce) throw refused('its nonce is not ours', 'invalid-grant');
    return { tenantId, objectId: oid };
  };
}

async function verified(idToken: string, keys: JWTVerifyGetKey, audience: string, now: Date): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(idToken, keys, {
      audience,
      algorithms: ['RS256'],
      clockTolerance: 300,
      currentDate: now,
      requiredClaims: ['iss', 'exp'],
    });
    return payload;
  } catch (cause) {
    if (cause instanceof errors.JWKSTimeout || !(cause instanceof errors.JOSEError)) {
      throw new ProviderError('unavailable', 'the keys of the sign-in service could not be read', { cause });
    }
    throw refused(cause.message, 'malformed', cause);
  }
}

/** Creates the error of an untrusted token. It is no dead grant: an account must not expire for it. */
function refused(why: string, reason: ProviderFailureReason = 'malformed', cause?: unknown): ProviderError {
  return new ProviderError(reason, `the id_token was refused: ${why}`, { cause });
}

function admits(tenant: string, tenantId: string): boolean {
  if (tenant === 'consumers') return tenantId === CONSUMER_TENANT;
  if (tenant === 'organizations') return tenantId !== CONSUMER_TENANT;
  return !GUID.test(tenant) || tenant.toLowerCase() === tenantId.toLowerCase();
}
