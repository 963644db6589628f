import { createHash } from 'node:crypto';
import { findMailbox, type GoogleContext } from '../google-context.ts';
import type { AuthorizationCode, Grant } from '../google-state.ts';

const ACCESS_TOKEN_LIFE_MS = 3_599_000;
/** Google keeps 100 live refresh tokens per account and client and silently drops the oldest. */
const REFRESH_TOKENS_KEPT = 100;
const TOKEN_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Returns the valid grant of a person to a client, if there is one. */
export function findGrant(context: GoogleContext, email: string, clientId: string): Grant | undefined {
  const wanted = email.toLowerCase();
  return Object.values(context.state.grants).find(
    (grant) => grant.email === wanted && grant.clientId === clientId && !grant.revoked,
  );
}

/** Adds scopes to the valid grant, or creates one; `isFirst` tells whether it is new. */
export function consent(
  context: GoogleContext,
  input: { readonly email: string; readonly clientId: string; readonly scopes: readonly string[] },
): { readonly grant: Grant; readonly isFirst: boolean } {
  context.kernel.touched();
  const found = findGrant(context, input.email, input.clientId);
  if (found !== undefined) {
    found.scopes = [...new Set([...found.scopes, ...input.scopes])];
    return { grant: found, isFirst: false };
  }
  const grant: Grant = {
    id: `grant_${context.kernel.randomText(16)}`,
    email: input.email.toLowerCase(),
    clientId: input.clientId,
    scopes: [...input.scopes],
    revoked: false,
  };
  context.state.grants[grant.id] = grant;
  return { grant, isFirst: true };
}

export function mintRefreshToken(context: GoogleContext, grant: Grant): string {
  const { state, kernel } = context;
  const token = `1//0${kernel.randomText(48, TOKEN_ALPHABET)}`;
  const living = Object.entries(state.refreshTokens).filter(([, stored]) => {
    const other = state.grants[stored.grantId];
    return other !== undefined && other.email === grant.email && other.clientId === grant.clientId && !other.revoked;
  });
  for (const [old] of living.slice(0, Math.max(0, living.length - REFRESH_TOKENS_KEPT + 1))) {
    delete state.refreshTokens[old];
  }
  state.refreshTokens[token] = { grantId: grant.id };
  kernel.touched();
  return token;
}

export function mintAccessToken(
  context: GoogleContext,
  grant: Grant,
  scopes: readonly string[],
): { readonly accessToken: string; readonly expiresAt: number } {
  const { state, kernel } = context;
  const now = kernel.clock.now();
  for (const [token, stored] of Object.entries(state.accessTokens)) {
    if (stored.expiresAt <= now) delete state.accessTokens[token];
  }
  const accessToken = `ya29.${kernel.randomText(60, TOKEN_ALPHABET)}`;
  const expiresAt = now + ACCESS_TOKEN_LIFE_MS;
  state.accessTokens[accessToken] = { grantId: grant.id, expiresAt, scopes: [...scopes] };
  kernel.touched();
  return { accessToken, expiresAt };
}

/** Revokes the grant of a refresh or access token, and with it every other token of the grant. */
export function revokeByToken(context: GoogleContext, token: string): boolean {
  const grantId = context.state.refreshTokens[token]?.grantId ?? context.state.accessTokens[token]?.grantId;
  const grant = grantId === undefined ? undefined : context.state.grants[grantId];
  if (grant === undefined || grant.revoked) return false;
  revokeGrant(context, grant);
  return true;
}

export function revokeGrant(context: GoogleContext, grant: Grant): void {
  grant.revoked = true;
  context.kernel.touched();
}

/** Returns the mailbox and scopes of an access token; undefined for an unknown, expired or revoked one. */
export function callerOf(context: GoogleContext, accessToken: string) {
  const stored = context.state.accessTokens[accessToken];
  if (stored === undefined || stored.expiresAt <= context.kernel.clock.now()) return undefined;
  const grant = context.state.grants[stored.grantId];
  if (grant === undefined || grant.revoked) return undefined;
  const mailbox = findMailbox(context, grant.email);
  return mailbox === undefined ? undefined : { mailbox, scopes: stored.scopes };
}

/** Checks a code verifier (RFC 7636 §4.6); a code without a challenge needs none. */
export function provesPossession(code: AuthorizationCode, verifier: string | null): boolean {
  if (code.codeChallenge === null) return true;
  if (verifier === null) return false;
  if (code.codeChallengeMethod === 'S256') {
    return createHash('sha256').update(verifier).digest('base64url') === code.codeChallenge;
  }
  return verifier === code.codeChallenge;
}
