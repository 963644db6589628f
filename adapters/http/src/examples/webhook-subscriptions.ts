import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const WEBHOOK_SUBSCRIPTIONS: Readonly<Record<string, OperationExample>> = {
  createCalendarSubscription: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    body: {
      calendarId: 'ada@gmail.example',
      webhookUrl: 'https://shop.example.com/webhooks/calendars',
    },
    status: 201,
    response: {
      webhookSubscriptionId: 'whs_GmmxQR4VU48VgFn569iTao',
      endpointSecret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    },
  },
  listCalendarSubscriptions: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'whs_GmmxQR4VU48VgFn569iTao',
          provider: 'PROVIDER_A',
          url: 'https://shop.example.com/webhooks/calendars',
          calendarId: 'ada@gmail.example',
          expiration: '2027-03-08T05:00:00.000Z',
          subscriptionId: 'chn_9fjOGx9XdnIbMiOrObR6h7',
          resourceId: 'YWRhQGdtYWlsLmV4YW1wbGUgZXZlbnRzOmFkYUBnbWFpbC5leGFtcGxl',
          endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
          subscriptionType: 'event',
          detail: 'change',
          format: 'plain',
          rateLimit: null,
          disabledAt: null,
          createdAt: '2027-03-01T09:00:00.000Z',
          updatedAt: '2027-03-01T09:00:00.000Z',
        },
      ],
      nextPageToken: null,
    },
  },
  listCalendarSubscriptionDeliveries: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      subscriptionId: 'whs_GmmxQR4VU48VgFn569iTao',
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
          nextAttemptAt: null,
        },
      ],
      nextPageToken: null,
    },
  },
  redeliverCalendarSubscription: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      subscriptionId: 'whs_GmmxQR4VU48VgFn569iTao',
    },
    body: {
      messageId: 'msg_example1',
    },
    status: 200,
    response: {
      success: true,
    },
  },
  recoverCalendarSubscription: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      subscriptionId: 'whs_GmmxQR4VU48VgFn569iTao',
    },
    body: {
      since: '2027-03-01T09:00:00.000Z',
    },
    status: 200,
    response: {
      recovered: 1,
    },
  },
  rotateCalendarSubscriptionSecret: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      subscriptionId: 'whs_GmmxQR4VU48VgFn569iTao',
    },
    status: 200,
    response: {
      endpointSecret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
      previousSecretExpiresAt: '2027-03-02T09:00:01.000Z',
    },
  },
  enableCalendarSubscription: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      subscriptionId: 'whs_GmmxQR4VU48VgFn569iTao',
    },
    status: 200,
    response: {
      id: 'whs_GmmxQR4VU48VgFn569iTao',
      provider: 'PROVIDER_A',
      url: 'https://shop.example.com/webhooks/calendars',
      calendarId: 'ada@gmail.example',
      expiration: '2027-03-08T05:00:00.000Z',
      subscriptionId: 'chn_9fjOGx9XdnIbMiOrObR6h7',
      resourceId: 'YWRhQGdtYWlsLmV4YW1wbGUgZXZlbnRzOmFkYUBnbWFpbC5leGFtcGxl',
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
      subscriptionType: 'event',
      detail: 'change',
      format: 'plain',
      rateLimit: null,
      disabledAt: null,
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:01.000Z',
    },
  },
  deleteCalendarSubscription: {
    params: {
      endUserAccountId: 'acc_bYd3pG4wyVRZ8SGjgc8u5S',
    },
    body: {
      subscriptionId: 'whs_GmmxQR4VU48VgFn569iTao',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
