import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const WEBHOOK_ENDPOINTS: Readonly<Record<string, OperationExample>> = {
  createWebhookEndpoint: {
    body: {
      webhookUrl: 'https://shop.example.com/webhooks/accounts',
      rateLimit: 50,
    },
    status: 201,
    response: {
      webhookEndpointId: 'whe_GI8v3b8POh52THFhwl6ZuD',
      endpointSecret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    },
  },
  listWebhookEndpoints: {
    status: 200,
    response: {
      data: [
        {
          id: 'whe_GI8v3b8POh52THFhwl6ZuD',
          url: 'https://shop.example.com/webhooks/accounts',
          rateLimit: 50,
          disabledAt: null,
          createdAt: '2027-03-01T09:00:00.000Z',
          updatedAt: '2027-03-01T09:00:00.000Z',
        },
      ],
      nextPageToken: null,
    },
  },
  listWebhookEndpointDeliveries: {
    params: {
      webhookEndpointId: 'whe_GI8v3b8POh52THFhwl6ZuD',
    },
    status: 200,
    response: {
      data: [
        {
          id: 'att_example2',
          messageId: 'msg_example2',
          eventType: 'calendar.event.changed',
          attemptedAt: '2027-03-01T09:00:01.000Z',
          status: 204,
          errorClass: null,
          latencyMs: 41,
          request: '{"eventType":"calendar.event.changed","timestamp":"2027-03-01T09:00:01.000Z"}',
          response: '',
          outcome: 'delivered',
          nextAttemptAt: null,
        },
      ],
      nextPageToken: null,
    },
  },
  redeliverWebhookEndpoint: {
    params: {
      webhookEndpointId: 'whe_GI8v3b8POh52THFhwl6ZuD',
    },
    body: {
      messageId: 'msg_example2',
    },
    status: 200,
    response: {
      success: true,
    },
  },
  recoverWebhookEndpoint: {
    params: {
      webhookEndpointId: 'whe_GI8v3b8POh52THFhwl6ZuD',
    },
    body: {
      since: '2027-03-01T09:00:00.000Z',
    },
    status: 200,
    response: {
      recovered: 1,
    },
  },
  rotateWebhookEndpointSecret: {
    params: {
      webhookEndpointId: 'whe_GI8v3b8POh52THFhwl6ZuD',
    },
    status: 200,
    response: {
      endpointSecret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
      previousSecretExpiresAt: '2027-03-02T09:00:02.000Z',
    },
  },
  enableWebhookEndpoint: {
    params: {
      webhookEndpointId: 'whe_GI8v3b8POh52THFhwl6ZuD',
    },
    status: 200,
    response: {
      id: 'whe_GI8v3b8POh52THFhwl6ZuD',
      url: 'https://shop.example.com/webhooks/accounts',
      rateLimit: 50,
      disabledAt: null,
      createdAt: '2027-03-01T09:00:00.000Z',
      updatedAt: '2027-03-01T09:00:02.000Z',
    },
  },
  deleteWebhookEndpoint: {
    params: {
      webhookEndpointId: 'whe_GI8v3b8POh52THFhwl6ZuD',
    },
    status: 200,
    response: {
      success: true,
    },
  },
};
