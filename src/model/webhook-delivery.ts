import { z } from 'zod';
import { dateTimeText, PAGE_SIZE, pageParameters } from './primitives.ts';
import { endpointSecret, messageType } from './subscription.ts';

/** Reason of a failed attempt. */
export const deliveryErrorClass = z
  .enum([
    'timeout',
    'connection',
    'tls',
    'dns',
    'address-refused',
    'redirect',
    'client-error',
    'server-error',
    'handler-error',
  ])
  .describe('Reason of a failed attempt.');

/** One attempt to deliver a message. */
export const webhookDelivery = z
  .object({
    id: z.string().describe('Id of the attempt, `att_…`.'),
    messageId: z.string().meta({ description: 'The hook-id of the message.' }),
    eventType: messageType,
    attemptedAt: dateTimeText.describe('Time of the attempt.'),
    status: z.number().nullable().meta({ description: 'HTTP status of the answer; null when there was none.' }),
    errorClass: deliveryErrorClass.nullable().meta({ description: 'null for a success.' }),
    latencyMs: z.number().describe('Duration of the attempt in milliseconds.'),
    request: z.string().nullable().meta({
      description: 'The body that was sent, in its plain form and without records; null once the message is purged.',
    }),
    response: z.string().meta({ description: 'The first kilobyte of the answer.' }),
    outcome: z.enum(['delivered', 'retry', 'dead', 'disabled']).meta({
      description: 'Decision: retry later, give the message up, or disable the receiver as well.',
    }),
    nextAttemptAt: dateTimeText
      .nullable()
      .describe('Earliest time of the next attempt of the message; null when it waits for none.'),
  })
  .meta({ id: 'WebhookDelivery', description: 'One attempt to deliver a message.' });

/** Query of the lists of deliveries. */
export const deliveryListQuery = z
  .strictObject(pageParameters(PAGE_SIZE.deliveries.maximum))
  .describe('Query of a list of delivery attempts.');

/** Body of POST …/redeliver. */
export const redeliverBody = z
  .strictObject({
    messageId: z
      .string()
      .min(1, 'must not be empty')
      .max(64, 'must be at most 64 characters')
      .meta({ description: 'The hook-id of the message.' }),
  })
  .meta({ id: 'WebhookRedeliver', description: 'Message to send again.' });

/** Body of POST …/recover. */
export const recoverBody = z
  .strictObject({
    since: z.iso
      .datetime({ offset: true, error: 'must be an ISO 8601 date-time with an offset' })
      .meta({ description: 'Messages created since this time: a date-time with an offset.' }),
  })
  .meta({ id: 'WebhookRecover', description: 'Messages to send again.' });

/** Answer of POST …/rotateSecret. */
export const secretRotated = z
  .object({
    endpointSecret,
    previousSecretExpiresAt: dateTimeText.meta({ description: 'Until then the secret before it signs as well.' }),
  })
  .meta({ id: 'WebhookSecretRotated', description: 'The new secret of a receiver.' });
