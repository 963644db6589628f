import { z } from 'zod';
import { calendarEvent, deletedEvent } from './event.ts';
import { besideOthers, dateTimeText, timestamps } from './primitives.ts';

export const subscriptionType = z
  .enum(['event', 'calendar'])
  .describe("`event`: changes of one calendar's events. `calendar`: of the list of calendars, and in any of them.");

export const subscriptionDetail = z
  .enum(['change', 'record'])
  .describe('Extension. `change`: messages tell that events have changed. `record`: which, and how they are now.');

export const messageFormat = z
  .enum(['plain', 'cloudevents'])
  .describe('Extension. Form of the bodies: the messages themselves, or CloudEvents 1.0 in structured JSON.');

export const rateLimit = z.number().nullable().describe('Most messages per second; null for no limit.');
export const disabledAt = dateTimeText
  .nullable()
  .describe('Since when no messages are sent, because the receiver had failed for too long; else null.');

/** Spec §2.5, list item. `id` is the webhookSubscriptionId; `subscriptionId`/`resourceId` are the provider's channel. */
export const webhookSubscription = z
  .object({
    id: z.string().describe('Id of the subscription, `whs_…`: the `webhookSubscriptionId` of its creation.'),
    provider: z.string().describe('`providerType` of the account.'),
    url: z.string().describe('Where its messages are sent.'),
    calendarId: z.string().nullable().describe('Calendar whose changes are told; null for the whole account.'),
    expiration: dateTimeText.describe("Expiry of the provider's channel, which the service renews."),
    subscriptionId: z.string().describe("The provider's id of the channel; `poll_…` where the service polls."),
    resourceId: z.string().describe("The provider's id of what the channel watches."),
    endUserAccountId: z.string().describe('Id of the account.'),
    subscriptionType,
    detail: subscriptionDetail,
    format: messageFormat,
    rateLimit,
    disabledAt,
    ...timestamps,
  })
  .meta({
    id: 'WebhookSubscription',
    description: "A subscription to changes of a calendar or of an account's calendars.",
  });

export const webhookUrl = z
  .string()
  .max(2048, 'must be at most 2048 characters')
  .describe('Where messages are sent: an https URL of a public address.');

export const endpointSecret = z
  .string()
  .describe('Secret that signs the messages, `whsec_…`. No later answer shows it.');

/** Messages per second that a receiver accepts; absent or null for no limit. */
export const messageRate = z
  .number()
  .min(1, 'must be at least 1')
  .max(10_000, 'must be at most 10000')
  .nullish()
  .describe('Most messages per second, from 1 to 10,000; absent or null for no limit.');

/** Body of POST /v1/calendarSubscriptions/{endUserAccountId}. */
export const subscriptionCreate = z
  .strictObject({
    calendarId: z
      .string()
      .min(1, 'must not be empty')
      .optional()
      .describe('Id of the calendar; only a subscription of type `calendar` does without.'),
    webhookUrl,
    rateLimit: messageRate,
    subscriptionType: subscriptionType.default('event'),
    detail: subscriptionDetail.default('change'),
    format: messageFormat.default('plain'),
  })
  .refine((body) => body.subscriptionType === 'calendar' || body.calendarId !== undefined, {
    path: ['calendarId'],
    error: 'is required',
    ...besideOthers,
  })
  .meta({ id: 'WebhookSubscriptionCreate', description: 'A subscription to create.' });

export const subscriptionCreated = z
  .object({ webhookSubscriptionId: z.string().describe('Id of the subscription, `whs_…`.'), endpointSecret })
  .meta({ id: 'WebhookSubscriptionCreated', description: 'A subscription that was created.' });

const CALENDAR_MESSAGES = ['calendar.event.changed', 'calendar.event.unknown'] as const;
const EVENT_MESSAGES = ['event.created', 'event.updated', 'event.deleted'] as const;
const ACCOUNT_MESSAGES = [
  'enduseraccount.created',
  'enduseraccount.updated',
  'enduseraccount.deleted',
  'enduseraccount.credential.updated',
] as const;

export const messageType = z
  .enum([...CALENDAR_MESSAGES, ...EVENT_MESSAGES, ...ACCOUNT_MESSAGES])
  .describe('Kind of a message: `eventType` of its body.');
export const calendarMessageType = messageType
  .extract(CALENDAR_MESSAGES)
  .describe('Kind of a message about a calendar.');
export const eventMessageType = messageType
  .extract(EVENT_MESSAGES)
  .describe('Kind of the change of an event or series. A change of an occurrence updates its series.');
export const accountMessageType = messageType.extract(ACCOUNT_MESSAGES).describe('Kind of a message about an account.');

export const timestamp = dateTimeText.describe('Time of the change, in UTC.');

/** Body of a calendar notification, spec §6.2: exactly these two fields. */
export const calendarMessage = z
  .object({ eventType: calendarMessageType, timestamp })
  .meta({ id: 'CalendarMessage', description: 'Tells that events have changed; read them by a sync token.' });

/** Body of a message with a record. */
export const eventMessage = z
  .object({
    eventType: eventMessageType,
    timestamp,
    data: z
      .object({
        endUserAccountId: z.string().describe('Id of the account, `acc_…`.'),
        calendarId: z.string().describe('Id of the calendar.'),
        eventId: z.string().describe('Id of the event or series.'),
        revision: z.string().describe('Revision of the calendar with this change; opaque.'),
        previousRevision: z
          .string()
          .describe("`revision` of the calendar's message before this one, or of the list that a copy began with."),
        event: calendarEvent.nullable().describe('The event or series as a GET of it shows it; null if there is none.'),
        occurrences: z
          .array(z.union([calendarEvent, deletedEvent]))
          .describe(
            'Changed and cancelled occurrences of the series that have become others, as a sync result has them.',
          ),
      })
      .describe('The change, and what the event is as of it.'),
  })
  .meta({ id: 'EventMessage', description: 'Tells how an event or a series was changed.' });
