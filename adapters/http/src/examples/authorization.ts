import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const AUTHORIZATION: Readonly<Record<string, OperationExample>> = {
  authorize: {
    params: {
      app_id: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      provider: 'provider_a',
    },
    query: {
      redirectUrl: 'https://app.test/connected',
      loginHint: 'ada@gmail.example',
      state: 'of-your-own',
    },
  },
};
