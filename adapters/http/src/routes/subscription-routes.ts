import { KalendsError } from 'kalends';
import {
  parseInput,
  subscriptionCreate,
  subscriptionCreated,
  subscriptionListQuery,
  webhookSubscription,
} from 'kalends/model';
import { z } from 'zod';
import { bodyOf, type Call, parameter, type Route } from '../route.ts';
import { listDeliveries, recover, redeliver, rotateSecret } from './delivery-routes.ts';
import { EXPIRED_ACCOUNT, PROVIDER_FAILURES } from './mirrored-answer.ts';

const tag = 'Webhook Subscriptions';
const deletion = z.strictObject({ subscriptionId: z.string() }).meta({ id: 'WebhookSubscriptionDelete' });
const deletionQuery = z.strictObject({ subscriptionId: z.string().optional() });

const ONE = '/v1/calendarSubscriptions/{endUserAccountId}/{subscriptionId}';

export const subscriptionRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/calendarSubscriptions/{endUserAccountId}',
    operationId: 'listCalendarSubscriptions',
    tag,
    summary: 'List webhook subscriptions',
    description:
      "Subscriptions of the account, of one calendar or of all. `subscriptionId` and `resourceId` name the provider's push channel.",
    access: 'key',
    query: subscriptionListQuery,
    answers: [
      {
        status: 200,
        description: 'A page of subscriptions, oldest first.',
        schema: z.object({ data: z.array(webhookSubscription), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken', 'NotFound'],
    handle: async (call) => ({
      body: await call.engine.subscriptions.list(call.caller, parameter(call, 'endUserAccountId'), call.query),
    }),
  },
  {
    method: 'post',
    path: '/v1/calendarSubscriptions/{endUserAccountId}',
    operationId: 'createCalendarSubscription',
    tag,
    summary: 'Subscribe a URL to the changes of a calendar',
    description:
      'endpointSecret verifies the signatures of the messages; no later answer shows it. Extension: with `detail: record` a message tells one change with the event as it is then, with `format: cloudevents` the bodies are CloudEvents.',
    access: 'key',
    body: { schema: subscriptionCreate, required: true },
    answers: [{ status: 201, description: 'The subscription.', schema: subscriptionCreated }],
    errors: ['NotFound', ...EXPIRED_ACCOUNT, 'CalendarSyncing', ...PROVIDER_FAILURES],
    handle: async (call) => ({
      status: 201,
      body: await call.engine.subscriptions.create(call.caller, parameter(call, 'endUserAccountId'), bodyOf(call)),
    }),
  },
  {
    method: 'delete',
    path: '/v1/calendarSubscriptions/{endUserAccountId}',
    operationId: 'deleteCalendarSubscription',
    tag,
    summary: 'Delete a webhook subscription',
    description: 'subscriptionId is in the body or in the query.',
    access: 'key',
    query: deletionQuery,
    body: { schema: deletion, required: false },
    answers: [{ status: 200, description: 'The subscription is deleted.', schema: z.object({ success: z.boolean() }) }],
    errors: ['NotFound', 'Conflict'],
    handle: async (call) => {
      const body = namedSubscription(call);
      await call.engine.subscriptions.delete(call.caller, parameter(call, 'endUserAccountId'), bodyOf({ body }));
      return { body: { success: true } };
    },
  },
  {
    ...listDeliveries(ONE, tag, 'listCalendarSubscriptionDeliveries'),
    handle: async (call) => ({
      body: await call.engine.subscriptions.listDeliveries(call.caller, ...subscription(call), call.query),
    }),
  },
  {
    ...redeliver(ONE, tag, 'redeliverCalendarSubscription'),
    handle: async (call) => {
      await call.engine.subscriptions.redeliver(call.caller, ...subscription(call), bodyOf(call));
      return { body: { success: true } };
    },
  },
  {
    ...recover(ONE, tag, 'recoverCalendarSubscription'),
    handle: async (call) => ({
      body: await call.engine.subscriptions.recover(call.caller, ...subscription(call), bodyOf(call)),
    }),
  },
  {
    ...rotateSecret(ONE, tag, 'rotateCalendarSubscriptionSecret'),
    handle: async (call) => ({
      body: await call.engine.subscriptions.rotateSecret(call.caller, ...subscription(call)),
    }),
  },
  {
    method: 'post',
    path: `${ONE}/enable`,
    operationId: 'enableCalendarSubscription',
    tag,
    summary: 'Extension: enable a disabled subscription',
    description:
      'It gets one calendar.event.unknown in place of the messages that it missed. An enabled subscription is left as it is.',
    access: 'key',
    answers: [{ status: 200, description: 'The subscription.', schema: webhookSubscription }],
    errors: ['NotFound', ...EXPIRED_ACCOUNT, 'CalendarSyncing', ...PROVIDER_FAILURES],
    handle: async (call) => ({ body: await call.engine.subscriptions.enable(call.caller, ...subscription(call)) }),
  },
];

const subscription = (call: Call) => [parameter(call, 'endUserAccountId'), parameter(call, 'subscriptionId')] as const;

/** Reads the subscription's id from the body or the query: some proxies drop the body of a DELETE. */
function namedSubscription({ body, query }: Call): unknown {
  const { subscriptionId } = parseInput(deletionQuery, query);
  if (subscriptionId === undefined) return body ?? {};
  if (body === undefined) return query;
  const inBody =
    typeof body === 'object' && body !== null ? (body as Record<string, unknown>).subscriptionId : undefined;
  if (inBody === subscriptionId) return body;
  const message = 'must be the same in the body and in the query';
  throw new KalendsError('InvalidRequest', `subscriptionId: ${message}`, {
    details: [{ path: 'subscriptionId', message }],
  });
}
