import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const ADMIN_AUDIT_LOG: Readonly<Record<string, OperationExample>> = {
  listAuditLog: {
    query: {
      applicationId: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      limit: '20',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'aud_007tQigupkNBsnrXqoNwIA',
          at: '2027-03-01T09:00:02.000Z',
          applicationId: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
          actor: {
            type: 'admin',
            id: null,
            address: null,
          },
          action: 'oauthClient.tested',
          target: 'prv_VTrU8nEPOOU41JAgNT4JcP',
          changed: [],
        },
      ],
      nextPageToken:
        'QgAD5E9kXNA2FnZvnU3vGhs9myHwEkzNhsk_odeafoY5NNu_zocvmLxC7CXaR704L3NZeV1NEBIwbHmx3bAYGMTy3K6kaK3MhoHxlokt2deqw67ZvEK4derM2VZj0qyl2AwMme7Kl0DQ1xDKze-qOWpcus-kBHakJVh_Dx3aTiKSSs0',
    },
  },
};
