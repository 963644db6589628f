import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const ADMIN_OAUTH_CLIENTS: Readonly<Record<string, OperationExample>> = {
  setOAuthClient: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      provider: 'provider_a',
    },
    body: {
      clientId: 'client',
      clientSecret: 'client-secret',
    },
    status: 200,
    response: {
      providerId: 'prv_mN0JvOyna3nH9l3uDOrWKQ',
      providerType: 'PROVIDER_A',
      clientId: 'client',
      settings: {},
      scopes: null,
      secretExpiresAt: null,
      redirectUri: 'http://kalends.test/api/v1/oauth/callback/provider_a',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
    },
  },
  listOAuthClients: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    status: 200,
    response: {
      data: [
        {
          providerId: 'prv_mN0JvOyna3nH9l3uDOrWKQ',
          providerType: 'PROVIDER_A',
          clientId: 'client',
          settings: {},
          scopes: null,
          secretExpiresAt: null,
          redirectUri: 'http://kalends.test/api/v1/oauth/callback/provider_a',
          createdAt: '2027-03-01T09:00:00.000Z',
          updatedAt: '2027-03-01T09:00:00.000Z',
        },
      ],
    },
  },
  getOAuthClient: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      provider: 'provider_a',
    },
    status: 200,
    response: {
      providerId: 'prv_mN0JvOyna3nH9l3uDOrWKQ',
      providerType: 'PROVIDER_A',
      clientId: 'client',
      settings: {},
      scopes: null,
      secretExpiresAt: null,
      redirectUri: 'http://kalends.test/api/v1/oauth/callback/provider_a',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
    },
  },
  testOAuthClient: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      provider: 'provider_a',
    },
    status: 200,
    response: {
      outcome: 'accepted',
      message: 'The provider accepts the client id and the client secret.',
    },
  },
  removeOAuthClient: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      provider: 'provider_b',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
