import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const ADMIN_RECEIVERS: Readonly<Record<string, OperationExample>> = {
  listReceivers: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'whe_GI8v3b8POh52THFhwl6ZuD',
          kind: 'endpoint',
          url: 'https://shop.example.com/webhooks/accounts',
          endUserAccountId: null,
          calendarId: null,
          subscriptionType: null,
          rateLimit: 50,
          disabledAt: null,
          failingSince: null,
          createdAt: '2027-03-01T09:00:00.000Z',
          updatedAt: '2027-03-01T09:00:00.000Z',
        },
      ],
      nextPageToken: null,
    },
  },
  listDeliveries: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      receiver: 'whs_GmmxQR4VU48VgFn569iTao',
    },
    query: {
      limit: '10',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'att_example1',
          messageId: 'msg_example1',
          eventType: 'calendar.event.changed',
          attemptedAt: '2027-03-01T09:00:00.000Z',
          status: 204,
          errorClass: null,
          latencyMs: 41,
          request: '{"eventType":"calendar.event.changed","timestamp":"2027-03-01T09:00:00.000Z"}',
          response: '',
          outcome: 'delivered',
          nextAttemptAt: '2027-03-01T09:00:00.000Z',
        },
      ],
      nextPageToken: null,
    },
  },
  redeliver: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      receiver: 'whs_GmmxQR4VU48VgFn569iTao',
    },
    body: {
      messageId: 'msg_example1',
    },
    status: 200,
    response: {
      success: true,
    },
  },
  recover: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      receiver: 'whs_GmmxQR4VU48VgFn569iTao',
    },
    body: {
      since: '2027-03-01T09:00:00.000Z',
    },
    status: 200,
    response: {
      recovered: 1,
    },
  },
  enableReceiver: {
    params: {
      app: 'app_y9sJ9z0f5HnLwyHdKqBmAQ',
      receiver: 'whs_GmmxQR4VU48VgFn569iTao',
    },
    status: 200,
    response: {
      id: 'whs_GmmxQR4VU48VgFn569iTao',
      kind: 'subscription',
      url: 'https://shop.example.com/webhooks/calendars',
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      calendarId: 'ada@gmail.example',
      subscriptionType: 'event',
      rateLimit: null,
      disabledAt: null,
      failingSince: null,
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:01.000Z',
    },
  },
};
