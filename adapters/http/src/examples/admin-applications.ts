import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const ADMIN_APPLICATIONS: Readonly<Record<string, OperationExample>> = {
  createApplication: {
    body: {
      name: 'Shop',
      redirectUrls: ['https://shop.example.com/connected'],
    },
    status: 201,
    response: {
      id: 'app_yZ00hYsgaoyie8BTEjjbH7',
      name: 'Shop',
      redirectUrls: ['https://shop.example.com/connected'],
      status: 'ACTIVE',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
    },
  },
  listApplications: {
    query: {
      limit: '1',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
          name: 'Test',
          redirectUrls: ['https://app.test/connected', 'https://app.test/other'],
          status: 'ACTIVE',
          createdAt: '2027-03-01T09:00:00.000Z',
          updatedAt: '2027-03-01T09:00:00.000Z',
        },
      ],
      nextPageToken:
        '93GlxpI8IpeaHztwN367L3NyrAh9ZgLaQdJP-gGzUFTDyb3PW88LrfgrMoKZVupCq6_CupfIhmP1rTagwbsKEyPTjX2HsCXQYAYB5vdJLn_oY8I8NNIjKKXunjmo7g',
    },
  },
  getApplication: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    status: 200,
    response: {
      id: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      name: 'Test',
      redirectUrls: ['https://app.test/connected', 'https://app.test/other'],
      status: 'ACTIVE',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
    },
  },
  updateApplication: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    body: {
      name: 'My shop',
    },
    status: 200,
    response: {
      id: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      name: 'My shop',
      redirectUrls: ['https://app.test/connected', 'https://app.test/other'],
      status: 'ACTIVE',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
    },
  },
  addRedirectUrl: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    body: {
      url: 'https://shop.example.com/calendar/connected',
    },
    status: 200,
    response: {
      id: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      name: 'My shop',
      redirectUrls: [
        'https://app.test/connected',
        'https://app.test/other',
        'https://shop.example.com/calendar/connected',
      ],
      status: 'ACTIVE',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
    },
  },
  removeRedirectUrl: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    body: {
      url: 'https://shop.example.com/calendar/connected',
    },
    status: 200,
    response: {
      id: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      name: 'My shop',
      redirectUrls: ['https://app.test/connected', 'https://app.test/other'],
      status: 'ACTIVE',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:00.000Z',
    },
  },
  deleteApplication: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    status: 202,
    response: {
      id: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      name: 'My shop',
      redirectUrls: ['https://app.test/connected', 'https://app.test/other'],
      status: 'DELETING',
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:17.000Z',
    },
  },
};
