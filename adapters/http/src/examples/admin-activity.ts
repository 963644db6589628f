import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const ADMIN_ACTIVITY: Readonly<Record<string, OperationExample>> = {
  streamActivity: {
    query: {
      applicationId: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      types: 'audit.written',
    },
    status: 200,
    response: {
      type: 'audit.written',
      at: '2027-03-01T09:00:17.000Z',
      applicationId: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      entryId: 'aud_000gFb6VI21Sw5LzWmEizN',
      actorType: 'embedded',
      action: 'application.updated',
      target: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
  },
};
