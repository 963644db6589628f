import { z } from 'zod';
import { dateTimeText } from './primitives.ts';

/** Spec §2.5, list item. `id` is the webhookSubscriptionId; `subscriptionId`/`resourceId` are the provider's channel. */
export const webhookSubscription = z
  .object({
    id: z.string(),
    provider: z.string(),
    url: z.string(),
    calendarId: z.string().nullable(),
    expiration: dateTimeText,
    subscriptionId: z.string(),
    resourceId: z.string(),
    endUserAccountId: z.string(),
    subscriptionType: z.enum(['event', 'calendar']),
    rateLimit: z.number().nullable(),
    disabledAt: dateTimeText.nullable(),
    createdAt: dateTimeText,
    updatedAt: dateTimeText,
  })
  .meta({ id: 'WebhookSubscription' });
export type WebhookSubscription = z.infer<typeof webhookSubscription>;

/** Messages per second that a receiver accepts; absent or null for no limit. */
export const messageRate = z.number().min(1, 'must be at least 1').max(10_000, 'must be at most 10000').nullish();

/** Body of POST /v1/calendarSubscriptions/{endUserAccountId}. */
export const subscriptionCreate = z
  .strictObject({
    calendarId: z.string().min(1, 'must not be empty').optional(),
    webhookUrl: z.string().max(2048, 'must be at most 2048 characters'),
    rateLimit: messageRate,
    subscriptionType: z.enum(['event', 'calendar']).default('event'),
  })
  .refine((body) => body.subscriptionType === 'calendar' || body.calendarId !== undefined, {
    path: ['calendarId'],
    error: 'is required',
  })
  .meta({ id: 'WebhookSubscriptionCreate' });
export type SubscriptionCreate = z.input<typeof subscriptionCreate>;

export const subscriptionCreated = z
  .object({ webhookSubscriptionId: z.string(), endpointSecret: z.string() })
  .meta({ id: 'WebhookSubscriptionCreated' });
export type SubscriptionCreated = z.infer<typeof subscriptionCreated>;

export const messageType = z.enum([
  'calendar.event.changed',
  'calendar.event.unknown',
  'enduseraccount.created',
  'enduseraccount.updated',
  'enduseraccount.deleted',
  'enduseraccount.credential.updated',
]);
export type MessageType = z.infer<typeof messageType>;

/** Body of a calendar notification, spec §6.2: exactly these two fields. */
export const calendarMessage = z
  .object({ eventType: messageType, timestamp: dateTimeText })
  .meta({ id: 'CalendarMessage' });
export type CalendarMessage = z.infer<typeof calendarMessage>;
