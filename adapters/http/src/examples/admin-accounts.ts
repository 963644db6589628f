import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const ADMIN_ACCOUNTS: Readonly<Record<string, OperationExample>> = {
  connectAccount: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    body: {
      providerType: 'CALDAV',
      serverUrl: 'http://sandbox.test/caldav/',
      username: 'katherine@caldav.example',
      password: 'an-app-password',
    },
    status: 201,
    response: {
      id: 'acc_Z9qsirj0QhzXBjMxMJIKaI',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
      email: 'katherine@caldav.example',
      externalId: null,
      authorizedScopes: [],
      providerAccountId: 'http://sandbox.test/caldav/principals/katherine%40caldav.example/',
      providerId: null,
      applicationId: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      status: 'ACTIVE',
      providerType: 'CALDAV',
    },
  },
  listAccounts: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    query: {
      search: 'ada',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          createdAt: '2027-03-01T09:00:00.000Z',
          updatedAt: '2027-03-01T09:00:00.000Z',
          email: 'ada@gmail.example',
          externalId: 'user-42',
          authorizedScopes: [
            'https://www.googleapis.com/auth/calendar',
            'https://www.googleapis.com/auth/userinfo.email',
            'https://www.googleapis.com/auth/userinfo.profile',
            'openid',
          ],
          providerAccountId: '100965442572175132529',
          providerId: 'prv_mN0JvOyna3nH9l3uDOrWKQ',
          applicationId: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
          status: 'ACTIVE',
          providerType: 'PROVIDER_A',
        },
      ],
      nextPageToken: null,
    },
  },
  getAccount: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      account: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    status: 200,
    response: {
      id: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
      email: 'ada@gmail.example',
      externalId: 'user-42',
      authorizedScopes: [
        'https://www.googleapis.com/auth/calendar',
        'https://www.googleapis.com/auth/userinfo.email',
        'https://www.googleapis.com/auth/userinfo.profile',
        'openid',
      ],
      providerAccountId: '100965442572175132529',
      providerId: 'prv_mN0JvOyna3nH9l3uDOrWKQ',
      applicationId: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      status: 'ACTIVE',
      providerType: 'PROVIDER_A',
    },
  },
  getSyncHealth: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      account: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    status: 200,
    response: {
      status: 'ACTIVE',
      coolDownUntil: null,
      backoffFactor: 1,
      progress: null,
      collections: [
        {
          calendarId: null,
          syncedAt: '2027-03-01T09:00:00.000Z',
          pollEveryMs: null,
          dueAt: '2027-03-01T09:02:00.000Z',
          isPushPending: false,
          channel: null,
          setAside: 0,
          failures: 0,
          lastFailure: null,
          missingSince: null,
        },
        {
          calendarId: 'ada@gmail.example',
          syncedAt: '2027-03-01T09:00:00.000Z',
          pollEveryMs: null,
          dueAt: '2027-03-01T09:00:00.000Z',
          isPushPending: false,
          channel: null,
          setAside: 0,
          failures: 0,
          lastFailure: null,
          missingSince: null,
        },
      ],
    },
  },
  syncAccount: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      account: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    status: 202,
    response: {
      since: '2027-03-01T09:00:02.000Z',
      total: 2,
      done: 0,
      failed: 0,
    },
  },
  createReconnectLink: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      account: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    status: 200,
    response: {
      url: 'http://kalends.test/api/v1/oauth/authorize/app_y9sJ9z0f5HnLwyHdKqBmAQ/provider_a?loginHint=ada%40gmail.example&externalId=user-42',
    },
  },
  expireAccount: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      account: 'acc_Pg1GDJaDDlLCF8EnUQbWto',
    },
    status: 200,
    response: {
      id: 'acc_Pg1GDJaDDlLCF8EnUQbWto',
      createdAt: '2027-03-01T09:00:17.000Z',
      updatedAt: '2027-03-01T09:00:17.000Z',
      email: 'grace@outlook.example',
      externalId: null,
      authorizedScopes: ['openid', 'profile', 'email', 'User.Read', 'Calendars.ReadWrite', 'MailboxSettings.Read'],
      providerAccountId: '9188040d-6c67-4c5b-b112-36a304b66dad.f11d3e65-47ed-41c9-aac0-79d64b3e9ea5',
      providerId: 'prv_VTrU8nEPOOU41JAgNT4JcP',
      applicationId: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      status: 'EXPIRED',
      providerType: 'PROVIDER_B',
    },
  },
  deleteAccount: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      account: 'acc_Pg1GDJaDDlLCF8EnUQbWto',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
