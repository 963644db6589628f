import { z } from 'zod';
import { dateTimeText, PAGE_SIZE, pageParameters } from './primitives.ts';
import { messageType } from './subscription.ts';

/** Reason of a failed attempt. */
export const deliveryErrorClass = z.enum([
  'timeout',
  'connection',
  'tls',
  'dns',
  'address-refused',
  'redirect',
  'client-error',
  'server-error',
  'handler-error',
]);
export type DeliveryErrorClass = z.infer<typeof deliveryErrorClass>;

/** One attempt to deliver a message. */
export const webhookDelivery = z
  .object({
    id: z.string(),
    messageId: z.string().meta({ description: 'The hook-id of the message.' }),
    eventType: messageType,
    attemptedAt: dateTimeText,
    status: z.number().nullable().meta({ description: 'HTTP status of the answer; null when there was none.' }),
    errorClass: deliveryErrorClass.nullable().meta({ description: 'null for a success.' }),
    latencyMs: z.number(),
    response: z.string().meta({ description: 'The first kilobyte of the answer.' }),
    outcome: z.enum(['delivered', 'retry', 'dead', 'disabled']).meta({
      description: 'What was decided: retry later, give the message up, or disable the receiver as well.',
    }),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

/** Query of the lists of deliveries. */
export const deliveryListQuery = z.strictObject(pageParameters(PAGE_SIZE.deliveries.maximum));
export type DeliveryListQuery = z.input<typeof deliveryListQuery>;

/** Body of POST …/redeliver. */
export const redeliverBody = z
  .strictObject({
    messageId: z
      .string()
      .min(1, 'must not be empty')
      .max(64, 'must be at most 64 characters')
      .meta({ description: 'The hook-id of the message.' }),
  })
  .meta({ id: 'WebhookRedeliver' });
export type Redeliver = z.input<typeof redeliverBody>;

/** Body of POST …/recover. */
export const recoverBody = z
  .strictObject({
    since: z.iso
      .datetime({ offset: true, error: 'must be an ISO 8601 date-time with an offset' })
      .meta({ description: 'Messages created since this time: a date-time with an offset.' }),
  })
  .meta({ id: 'WebhookRecover' });
export type Recover = z.input<typeof recoverBody>;

/** Answer of POST …/rotateSecret. */
export const secretRotated = z
  .object({
    endpointSecret: z.string(),
    previousSecretExpiresAt: dateTimeText.meta({ description: 'Until then the secret before it signs as well.' }),
  })
  .meta({ id: 'WebhookSecretRotated' });
export type SecretRotated = z.infer<typeof secretRotated>;
