import {
  deliveryListQuery,
  receiver,
  receiverListQuery,
  recoverBody,
  redeliverBody,
  webhookDelivery,
} from 'kalends/model';
import { z } from 'zod';
import { bodyOf, parameter } from '../route.ts';
import { ADMIN, type AdminCall, type AdminRoute, applicationIdOf, SUCCEEDED, success } from './admin-route.ts';

const tag = 'Receivers';
const path = '/admin/v1/applications/{app}/receivers';

const receiverIdOf = (call: AdminCall): string => parameter(call, 'receiver');

export const receiverRoutes: readonly AdminRoute[] = [
  {
    ...ADMIN,
    method: 'get',
    path,
    operationId: 'listReceivers',
    command: {
      words: 'receiver list',
      columns: ['id', 'kind', 'url', 'endUserAccountId', 'disabledAt', 'failingSince'],
      example: '--app app_1',
    },
    tag,
    summary: 'List the subscriptions and endpoints of an application',
    description: 'User-info, query values and fragments of their URLs are masked: they may be secrets.',
    query: receiverListQuery,
    answers: [
      {
        status: 200,
        description: 'A page of receivers, oldest first.',
        schema: z.object({ data: z.array(receiver), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken', 'NotFound'],
    handle: async (call) => ({ body: await call.engine.operations.listReceivers(applicationIdOf(call), call.query) }),
  },
  {
    ...ADMIN,
    method: 'get',
    path: `${path}/{receiver}/deliveries`,
    operationId: 'listDeliveries',
    command: {
      words: 'receiver deliveries',
      positionals: ['receiver'],
      columns: ['attemptedAt', 'messageId', 'eventType', 'status', 'errorClass', 'latencyMs', 'outcome'],
      example: 'whs_1 --app app_1 --limit 10',
    },
    tag,
    summary: 'List the attempts of the last 30 days',
    description: "With the answer's first kilobyte and what was decided after each attempt.",
    query: deliveryListQuery,
    answers: [
      {
        status: 200,
        description: 'A page of attempts, newest first.',
        schema: z.object({ data: z.array(webhookDelivery), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken', 'NotFound'],
    handle: async (call) => ({
      body: await call.engine.operations.listDeliveries(applicationIdOf(call), receiverIdOf(call), call.query),
    }),
  },
  {
    ...ADMIN,
    method: 'post',
    path: `${path}/{receiver}/redeliver`,
    operationId: 'redeliver',
    command: {
      words: 'receiver redeliver',
      positionals: ['receiver', 'messageId'],
      next: 'The message is due; see: kalends receiver deliveries {receiver} --app {app}',
      example: 'whs_1 msg_1 --app app_1',
    },
    tag,
    summary: 'Send a message again',
    description: 'At once, under the same hook-id, and with the full schedule of attempts.',
    body: { schema: redeliverBody, required: true },
    answers: [{ status: 200, description: 'The message is due.', schema: success }],
    errors: ['NotFound', 'Conflict'],
    handle: async (call) => {
      await call.engine.operations.redeliver(applicationIdOf(call), receiverIdOf(call), bodyOf(call), call.caller);
      return SUCCEEDED;
    },
  },
  {
    ...ADMIN,
    method: 'post',
    path: `${path}/{receiver}/recover`,
    operationId: 'recover',
    command: {
      words: 'receiver recover',
      positionals: ['receiver'],
      next: 'See: kalends receiver deliveries {receiver} --app {app}',
      example: 'whs_1 --app app_1 --since 2027-01-31T00:00:00Z',
    },
    tag,
    summary: 'Send again what failed since a time',
    description: 'Every message since then that was given up or waits for a retry, under its own hook-id.',
    body: { schema: recoverBody, required: true },
    answers: [
      {
        status: 200,
        description: 'The number of messages that are due.',
        schema: z.object({ recovered: z.number() }),
      },
    ],
    errors: ['NotFound', 'Conflict'],
    handle: async (call) => ({
      body: await call.engine.operations.recover(applicationIdOf(call), receiverIdOf(call), bodyOf(call), call.caller),
    }),
  },
  {
    ...ADMIN,
    method: 'post',
    path: `${path}/{receiver}/enable`,
    operationId: 'enableReceiver',
    command: { words: 'receiver enable', positionals: ['receiver'], example: 'whs_1 --app app_1' },
    tag,
    summary: 'Enable a disabled receiver',
    description:
      'A subscription gets one `calendar.event.unknown` in place of what waited for it, an endpoint the messages themselves.',
    answers: [{ status: 200, description: 'The receiver.', schema: receiver }],
    errors: ['NotFound'],
    handle: async (call) => ({
      body: await call.engine.operations.enableReceiver(applicationIdOf(call), receiverIdOf(call), call.caller),
    }),
  },
];
