import { isPersonal } from '../identity.ts';
import type { MicrosoftWorld, StoredGrant } from '../state.ts';

const OPAQUE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const HOUR_MS = 3_600_000;

/** Life of an access token in seconds. */
export const ACCESS_TOKEN_SECONDS = 3600;

/** All scopes, and those of a grant whose request names none. */
export const ALL_SCOPES = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'User.Read',
  'Calendars.ReadWrite',
  'Calendars.ReadWrite.Shared',
  'MailboxSettings.Read',
] as const;

/** `https://graph.microsoft.com/Calendars.ReadWrite` and `Calendars.ReadWrite` are one scope. */
export const shortScope = (scope: string): string => scope.replace(/^https?:\/\/[^/]+\//, '');

/**
 * Returns the scopes that consent gives a person: personal accounts are not granted those of shared calendars.
 * @see https://learn.microsoft.com/graph/permissions-reference (Calendars.ReadWrite.Shared: personal accounts not supported)
 */
export const grantable = (email: string, scopes: readonly string[]): readonly string[] =>
  isPersonal(email) ? scopes.filter((scope) => !/\.Shared$/i.test(scope)) : scopes;

/** Records the consent of a person. */
export function createGrant(
  world: MicrosoftWorld,
  input: { readonly email: string; readonly clientId: string; readonly scopes: readonly string[] },
): string {
  const id = world.kernel.randomText(20);
  world.state.grants[id] = { ...input, email: input.email.toLowerCase(), revokedAt: null };
  world.kernel.touched();
  return id;
}

/** Returns a valid grant of this person to this client. */
export function findGrant(world: MicrosoftWorld, email: string, clientId: string): [string, StoredGrant] | undefined {
  return Object.entries(world.state.grants).find(
    ([, grant]) => grant.email === email.toLowerCase() && grant.clientId === clientId && grant.revokedAt === null,
  );
}

export function createRefreshToken(world: MicrosoftWorld, grantId: string): string {
  const token = `1.${world.kernel.randomText(120, OPAQUE)}`;
  world.state.refreshTokens[token] = { grantId, lastUsedAt: world.kernel.clock.now(), replacedAt: null };
  world.kernel.touched();
  return token;
}

export function createAccessToken(world: MicrosoftWorld, grantId: string, scopes: readonly string[]): string {
  const now = world.kernel.clock.now();
  for (const [token, { expiresAt }] of Object.entries(world.state.accessTokens)) {
    if (expiresAt + HOUR_MS < now) delete world.state.accessTokens[token];
  }
  const token = `EwB${world.kernel.randomText(80, OPAQUE)}`;
  world.state.accessTokens[token] = { grantId, scopes, expiresAt: now + ACCESS_TOKEN_SECONDS * 1000 };
  world.kernel.touched();
  return token;
}
