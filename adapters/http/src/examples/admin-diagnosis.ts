import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const ADMIN_DIAGNOSIS: Readonly<Record<string, OperationExample>> = {
  diagnose: {
    status: 200,
    response: {
      status: 'failed',
      findings: [
        {
          check: 'database',
          status: 'ok',
          message: 'The database is reached, and its schema is at 0004-messages-with-records.',
          remedy: null,
        },
        {
          check: 'databaseState',
          status: 'ok',
          message: 'The database can be read and written.',
          remedy: null,
        },
        {
          check: 'databaseClock',
          status: 'ok',
          message: 'The clocks of this process and of the database agree to 1 s.',
          remedy: null,
        },
        {
          check: 'secret',
          status: 'ok',
          message: 'The secrets open what is stored.',
          remedy: null,
        },
        {
          check: 'oauthClient',
          status: 'ok',
          message: 'The OAuth client of application app_y9sJ9z0f5HnLwyHdKqBmAQ at PROVIDER_A is accepted.',
          remedy: null,
        },
        {
          check: 'oauthClientSecret',
          status: 'skipped',
          message:
            'The client secret of application app_y9sJ9z0f5HnLwyHdKqBmAQ at PROVIDER_A has no known end: providers do not tell it. A client that was set with secretExpiresAt is watched.',
          remedy: null,
        },
        {
          check: 'oauthClient',
          status: 'ok',
          message: 'The OAuth client of application app_y9sJ9z0f5HnLwyHdKqBmAQ at PROVIDER_B is accepted.',
          remedy: null,
        },
        {
          check: 'oauthClientSecret',
          status: 'skipped',
          message:
            'The client secret of application app_y9sJ9z0f5HnLwyHdKqBmAQ at PROVIDER_B has no known end: providers do not tell it. A client that was set with secretExpiresAt is watched.',
          remedy: null,
        },
        {
          check: 'publicUrl',
          status: 'failed',
          message:
            'The public URL http://kalends.test/api is not https: providers neither return browsers to it nor push to it.',
          remedy: 'Set the public URL to an https address that the internet reaches.',
        },
        {
          check: 'publicAddress',
          status: 'failed',
          message: 'The host kalends.test of the public URL does not resolve.',
          remedy: 'Add its DNS record, or correct the public URL.',
        },
        {
          check: 'push',
          status: 'failed',
          message: 'The push address http://kalends.test/api/v1/push/provider_a has a host that does not resolve.',
          remedy: 'Add its DNS record, or correct the public URL.',
        },
        {
          check: 'push',
          status: 'failed',
          message: 'The push address http://kalends.test/api/v1/push/provider_b has a host that does not resolve.',
          remedy: 'Add its DNS record, or correct the public URL.',
        },
        {
          check: 'keyring',
          status: 'ok',
          message: 'The keyring local:zLZGUXks wraps and unwraps.',
          remedy: null,
        },
        {
          check: 'zoneData',
          status: 'ok',
          message: 'The tz data is 2025c.',
          remedy: null,
        },
        {
          check: 'providerClock',
          status: 'skipped',
          message: 'The provider PROVIDER_A did not tell its time.',
          remedy: null,
        },
        {
          check: 'providerClock',
          status: 'skipped',
          message: 'The provider PROVIDER_B did not tell its time.',
          remedy: null,
        },
      ],
    },
  },
};
