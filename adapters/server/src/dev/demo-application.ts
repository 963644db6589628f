import type { DemoMailboxes, Sandbox } from '@kalends/sandbox';
import { type Engine, KalendsError } from 'kalends';
import type { DevState } from './dev-state.ts';

export const PROVIDERS = [
  { provider: 'google', providerType: 'PROVIDER_A' },
  { provider: 'microsoft', providerType: 'PROVIDER_B' },
] as const;

const CLIENT_ID = 'kalends-dev';

/** Creates or finds the demo's application, with an OAuth client at both providers and an API key that outlives restarts. */
export async function prepareApplication(
  engine: Engine,
  sandbox: Sandbox,
  state: DevState,
  urls: { readonly siteUrl: string; readonly baseUrl: string },
): Promise<DevState> {
  const redirectUrls = [`${urls.siteUrl}/connected`];
  const known = state.applicationId === undefined ? undefined : await engine.applications.find(state.applicationId);
  const application =
    known === undefined
      ? await engine.applications.create({ name: 'Demo', redirectUrls })
      : await engine.applications.update(known.id, { redirectUrls });
  for (const { provider, providerType } of PROVIDERS) {
    const redirectUris = [`${urls.baseUrl}/v1/oauth/callback/${providerType.toLowerCase()}`];
    const client = { clientId: CLIENT_ID, clientSecret: state.sandboxSecret };
    sandbox[provider].addClient({ ...client, redirectUris });
    await engine.oauthClients.set(application.id, providerType, client);
  }
  const apiKey = (await stillValid(engine, state.apiKey))
    ? state.apiKey
    : (await engine.apiKeys.create(application.id, { name: 'Demo', expiresAt: null })).key;
  return { ...state, applicationId: application.id, ...(apiKey === undefined ? {} : { apiKey }) };
}

async function stillValid(engine: Engine, key: string | undefined): Promise<boolean> {
  if (key === undefined) return false;
  try {
    await engine.apiKeys.authenticate(key);
    return true;
  } catch (error) {
    if (KalendsError.isInstance(error) && error.code === 'InvalidApiKey') return false;
    throw error;
  }
}

/**
 * Issues the refresh tokens to show.
 * Keeps a valid Google token: each new one invalidates the oldest of the hundred that an account may have. Always issues a
 * new Microsoft token: each use replaces it.
 */
export async function issueRefreshTokens(
  sandbox: Sandbox,
  mailboxes: DemoMailboxes,
  state: DevState,
  sandboxUrl: string,
): Promise<DevState> {
  const refreshTokens: Record<string, string> = {};
  for (const { provider } of PROVIDERS) {
    const email = mailboxes[provider];
    const kept = provider === 'google' ? state.refreshTokens[email] : undefined;
    const lives = kept !== undefined && (await isLivingGoogleToken(sandbox, kept, state.sandboxSecret, sandboxUrl));
    refreshTokens[email] = lives ? kept : sandbox[provider].issueRefreshToken({ email, clientId: CLIENT_ID });
  }
  return { ...state, refreshTokens };
}

/** Tells whether a kept token is still valid: deleting the account revokes its whole grant. */
async function isLivingGoogleToken(
  sandbox: Sandbox,
  token: string,
  secret: string,
  sandboxUrl: string,
): Promise<boolean> {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: CLIENT_ID,
    client_secret: secret,
  });
  const answer = await sandbox.fetch(new Request(`${sandboxUrl}/google/token`, { method: 'POST', body }));
  return answer.ok;
}
