import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const END_USER_ACCOUNTS: Readonly<Record<string, OperationExample>> = {
  upsertEndUserAccount: {
    body: {
      email: 'ada@gmail.example',
      providerType: 'PROVIDER_A',
      externalId: 'user-42',
      refreshToken: 'a-refresh-token',
    },
    status: 201,
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
  listEndUserAccounts: {
    query: {
      search: 'ada',
      limit: '50',
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
  getEndUserAccount: {
    params: {
      id: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
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
  getEndUserAccountCredentials: {
    params: {
      id: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    status: 200,
    response: {
      id: 'crd_VLLBgazdm64xRdxU7zdzJb',
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      accessToken: 'an-access-token',
      refreshToken: 'a-refresh-token',
      expiresAt: '2027-03-01T09:59:59.000Z',
      status: 'ACTIVE',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
    },
    variants: {
      tokens: {
        id: 'crd_VLLBgazdm64xRdxU7zdzJb',
        endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
        accessToken: 'an-access-token',
        refreshToken: 'a-refresh-token',
        expiresAt: '2027-03-01T09:59:59.000Z',
        status: 'ACTIVE',
        createdAt: '2027-03-01T09:00:00.000Z',
        updatedAt: '2027-03-01T09:00:00.000Z',
      },
      password: {
        id: 'crd_sdxD4It8Co6lMu9Lf0frCb',
        endUserAccountId: 'acc_Z9qsirj0QhzXBjMxMJIKaI',
        kind: 'password',
        username: 'katherine@caldav.example',
        password: 'an-app-password',
        serverUrl: 'http://sandbox.test/caldav/calendars/katherine%40caldav.example/',
        status: 'ACTIVE',
        createdAt: '2027-03-01T09:00:00.000Z',
        updatedAt: '2027-03-01T09:00:00.000Z',
      },
    },
  },
  listUnreadableObjects: {
    params: {
      id: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    status: 200,
    response: {
      data: [],
      nextPageToken: null,
    },
  },
  deleteEndUserAccount: {
    params: {
      id: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    status: 200,
    response: {
      message: 'End user account deleted',
      ok: true,
    },
  },
};
