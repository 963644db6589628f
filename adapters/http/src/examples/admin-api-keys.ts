import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const ADMIN_API_KEYS: Readonly<Record<string, OperationExample>> = {
  createApiKey: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    body: {
      name: 'Reports',
      expiresAt: '90d',
      readOnly: true,
      canReadCredentials: false,
    },
    status: 201,
    response: {
      key: 'kal_live_0123456789abcdef',
      apiKey: {
        id: 'key_rUAtkt1BNqEH0QIwu3shb0',
        name: 'Reports',
        readOnly: true,
        canReadCredentials: false,
        expiresAt: '2027-05-30T09:00:00.000Z',
        revokedAt: null,
        lastUsedAt: null,
        createdAt: '2027-03-01T09:00:00.000Z',
      },
    },
  },
  listApiKeys: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'key_ofEtHUTVIjdy6zHyRdcNaT',
          name: 'Test',
          readOnly: false,
          canReadCredentials: true,
          expiresAt: null,
          revokedAt: null,
          lastUsedAt: null,
          createdAt: '2027-03-01T09:00:00.000Z',
        },
      ],
    },
  },
  revokeApiKey: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      key: 'key_rUAtkt1BNqEH0QIwu3shb0',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
