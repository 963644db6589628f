import { ControlError, type ProviderSandbox, type SandboxServer } from '../kernel/kernel.ts';

/** A bearer token of a mailbox. */
export interface IssuedAccessToken {
  readonly accessToken: string;
  /** Epoch milliseconds on the sandbox's clock. */
  readonly expiresAt: number;
}

const CLIENT = { clientId: 'sandbox-control', clientSecret: 'sandbox-control', redirectUris: [] };
const TOKEN_PATH = '/common/oauth2/v2.0/token';

/**
 * A valid bearer token of any mailbox, for acting as another person: by the provider's own verb where it has one,
 * else by the token endpoint, as the sandbox's own client.
 * @throws ControlError for a mailbox that does not exist
 */
export async function issueAccessToken(
  provider: SandboxServer,
  input: Readonly<Record<string, unknown>>,
  now: number,
): Promise<IssuedAccessToken> {
  const verb = provider.controls['issueAccessToken'];
  if (verb !== undefined) return verb(input) as IssuedAccessToken;
  if (!isOAuth(provider)) throw new ControlError('provider: gives out no bearer tokens');
  const { email } = input;
  if (typeof email !== 'string' || !provider.hasMailbox(email)) throw new ControlError(`email: no mailbox ${email}`);
  provider.addClient(CLIENT);
  const refreshToken = provider.issueRefreshToken({ email, clientId: CLIENT.clientId });
  const request = new Request(`http://sandbox.invalid${TOKEN_PATH}`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: CLIENT.clientId,
      client_secret: CLIENT.clientSecret,
      scope: 'https://graph.microsoft.com/.default',
    }),
  });
  const response = await provider.fetch(request, 'http://sandbox.invalid');
  const body = (await response.json()) as { access_token?: string; expires_in?: number; error_description?: string };
  if (body.access_token === undefined) throw new ControlError(`no token: ${body.error_description ?? response.status}`);
  return { accessToken: body.access_token, expiresAt: now + (body.expires_in ?? 0) * 1000 };
}

/** Tells whether the people of a server give access by OAuth. */
export const isOAuth = (server: SandboxServer): server is ProviderSandbox => 'issueRefreshToken' in server;
