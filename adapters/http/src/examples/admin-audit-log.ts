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
          id: 'aud_007y1mUDXYXFFD8TXssbwT',
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
        '-kqucLmJg9HSHnVHHp2eFnmGuH7Xztz6Dg544CmsnSfEcQ7ZPMoQ9voYBF1mVJTrSz4tcXCf_VpWAuYyFBP50cmOrUtD5KYDxjcoB6BdMWz5ZeHmPcgVNksVk0Q-kCpI4AGlJxYMIgQUzikDvL6JFDv-LNJ66US4YZO7TcO629VlS5s',
    },
  },
};
