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
          id: 'aud_007uKSro5XOfXJ3fmwBKkR',
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
        'wpuZbK7aZWhlplDqH_Oz_1Ubpoa3ydsi2r-ZmvXS6MsL1FPPrHI60hlhcXg-CP9cRH3UuU8x54gxx_SP13ai8lwNmIlS5jY8djjQREqHuLr03awxZZDC9ALncXMAt9Se3mnJuVubB-4rKoJo3dmjqi4XTA3-3PF75krTJ8KO_SJfbaY',
    },
  },
};
