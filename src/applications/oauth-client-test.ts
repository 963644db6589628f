import type { OAuthClientTest } from '../model/index.ts';
import { type ProviderAuthorization, type ProviderClient, ProviderError } from '../ports/index.ts';

/** A refresh token that no provider has issued. */
const NO_REFRESH_TOKEN = 'kalends-tests-the-oauth-client';

/**
 * Tests an OAuth client by a refresh that must fail: a provider that objects to the refresh token has accepted the client,
 * since it authenticates the client first (RFC 6749 §5.2 tells the two apart).
 */
export async function testOAuthClient(
  authorization: Pick<ProviderAuthorization, 'refresh'>,
  client: ProviderClient,
): Promise<OAuthClientTest> {
  try {
    await authorization.refresh({ client, refreshToken: NO_REFRESH_TOKEN });
  } catch (error) {
    if (!ProviderError.isInstance(error)) throw error;
    if (error.reason === 'operator') return { outcome: 'refused', message: error.message };
    if (error.reason !== 'invalid-grant') {
      return {
        outcome: 'unavailable',
        message: `The provider gave no usable answer: ${error.message}. Try again in a minute.`,
      };
    }
  }
  return { outcome: 'accepted', message: 'The provider accepts the client id and the client secret.' };
}
