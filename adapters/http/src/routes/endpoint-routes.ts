import {
  webhookEndpoint,
  webhookEndpointCreate,
  webhookEndpointCreated,
  webhookEndpointListQuery,
} from 'kalends/model';
import { z } from 'zod';
import { bodyOf, type Call, parameter, type Route } from '../route.ts';
import { listDeliveries, recover, redeliver, rotateSecret } from './delivery-routes.ts';

const tag = 'Webhook Endpoints';
const ONE = '/v1/webhookEndpoints/{webhookEndpointId}';

/** Routes of the application's webhook endpoints, which receive the messages about its accounts: an extension. */
export const endpointRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/webhookEndpoints',
    operationId: 'listWebhookEndpoints',
    tag,
    summary: 'Extension: list the webhook endpoints of the application',
    description: 'Endpoints of the application. Their secrets are not shown.',
    access: 'key',
    query: webhookEndpointListQuery,
    answers: [
      {
        status: 200,
        description: 'A page of endpoints, oldest first.',
        schema: z.object({ data: z.array(webhookEndpoint), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken'],
    handle: async (call) => ({ body: await call.engine.webhookEndpoints.list(call.caller, call.query) }),
  },
  {
    method: 'post',
    path: '/v1/webhookEndpoints',
    operationId: 'createWebhookEndpoint',
    tag,
    summary: 'Extension: send the messages about accounts to a URL',
    description: 'endpointSecret verifies the signatures of the messages; no later answer shows it.',
    access: 'key',
    body: { schema: webhookEndpointCreate, required: true },
    answers: [{ status: 201, description: 'The endpoint.', schema: webhookEndpointCreated }],
    errors: [],
    handle: async (call) => ({
      status: 201,
      body: await call.engine.webhookEndpoints.create(call.caller, bodyOf(call)),
    }),
  },
  {
    method: 'delete',
    path: ONE,
    operationId: 'deleteWebhookEndpoint',
    tag,
    summary: 'Extension: delete a webhook endpoint',
    description: 'Its waiting messages and the log of its deliveries are deleted too.',
    access: 'key',
    answers: [{ status: 200, description: 'The endpoint is deleted.', schema: z.object({ success: z.boolean() }) }],
    errors: ['NotFound'],
    handle: async (call) => {
      await call.engine.webhookEndpoints.delete(call.caller, endpoint(call));
      return { body: { success: true } };
    },
  },
  {
    ...listDeliveries(ONE, tag, 'listWebhookEndpointDeliveries'),
    handle: async (call) => ({
      body: await call.engine.webhookEndpoints.listDeliveries(call.caller, endpoint(call), call.query),
    }),
  },
  {
    ...redeliver(ONE, tag, 'redeliverWebhookEndpoint'),
    handle: async (call) => {
      await call.engine.webhookEndpoints.redeliver(call.caller, endpoint(call), bodyOf(call));
      return { body: { success: true } };
    },
  },
  {
    ...recover(ONE, tag, 'recoverWebhookEndpoint'),
    handle: async (call) => ({
      body: await call.engine.webhookEndpoints.recover(call.caller, endpoint(call), bodyOf(call)),
    }),
  },
  {
    ...rotateSecret(ONE, tag, 'rotateWebhookEndpointSecret'),
    handle: async (call) => ({
      body: await call.engine.webhookEndpoints.rotateSecret(call.caller, endpoint(call)),
    }),
  },
  {
    method: 'post',
    path: `${ONE}/enable`,
    operationId: 'enableWebhookEndpoint',
    tag,
    summary: 'Extension: enable a disabled endpoint',
    description: 'Its waiting messages are sent. An enabled endpoint is left as it is.',
    access: 'key',
    answers: [{ status: 200, description: 'The endpoint.', schema: webhookEndpoint }],
    errors: ['NotFound'],
    handle: async (call) => ({ body: await call.engine.webhookEndpoints.enable(call.caller, endpoint(call)) }),
  },
];

const endpoint = (call: Call) => parameter(call, 'webhookEndpointId');
