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
          id: 'aud_0072Ri8UgLCP5LBHbE9FLF',
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
        'wlclYi5PdBWSFhgMmIqRQUmSAZkausQhvXIQKILbZHp-mxCEtjc-RzyUiQBSx94eFFzo716B_3VAKZ6XyX90zdtPbo3Po4ru00XXvjlALDY9eupRzQkfhRxDZgevfGi0ISH1_GeRtRkpOngJtmKL0uW7SqS9QNKuLzJHaEOQXXa1YA0',
    },
  },
};
