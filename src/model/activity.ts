import { z } from 'zod';
import { accountStatus } from './account.ts';
import { actorType } from './administration.ts';
import { dateTimeText } from './primitives.ts';
import { messageType } from './subscription.ts';
import { deliveryErrorClass } from './webhook-delivery.ts';

/** Types of activities. */
export const activityType = z
  .enum([
    'notification.received',
    'pull.ended',
    'message.enqueued',
    'delivery.attempted',
    'account.status.changed',
    'audit.written',
  ])
  .describe('Type of an activity.');

const at = dateTimeText.describe('When it happened.');
const applicationId = z.string().describe('Application that it concerns.');
const endUserAccountId = z.string().describe('Id of the account.');
const calendarId = z.string().nullable().describe('Calendar; null for the list of calendars.');
const messageId = z.string().describe('The hook-id of the message.');
const receiverId = z.string().describe('Id of the subscription or endpoint.');

/** A provider's notification was accepted and has made a pull due. */
const notificationReceived = z
  .object({
    type: z.literal('notification.received').describe('Notification of a provider.'),
    at,
    applicationId,
    endUserAccountId,
    calendarId,
    providerType: z.string().describe("Type of the account's provider."),
    kinds: z
      .array(z.enum(['changed', 'missed', 'removed', 'reauthorization-required']))
      .describe('Its news: a change, that notifications were missed, or that its channel ends.'),
  })
  .describe('A notification of a provider was accepted.');

const pullEnded = z
  .object({
    type: z.literal('pull.ended').describe('End of a pull.'),
    at,
    applicationId,
    endUserAccountId,
    calendarId,
    outcome: z
      .enum(['ok', 'failed', 'postponed', 'abandoned'])
      .describe(
        '`postponed`: the provider was not asked; `abandoned`: the calendar is gone, or another process has it.',
      ),
    changed: z.number().nullable().describe('Number of changed records; null unless the outcome is ok.'),
    durationMs: z.number().describe('Duration in milliseconds.'),
    errorCode: z.string().nullable().describe('Name of the error; null when the outcome is ok.'),
  })
  .describe('A pull of a collection has ended.');

const messageEnqueued = z
  .object({
    type: z.literal('message.enqueued').describe('New message of the outbox.'),
    at,
    applicationId,
    messageId,
    eventType: messageType,
    receiverId,
  })
  .describe('A message was put into the outbox.');

const deliveryAttempted = z
  .object({
    type: z.literal('delivery.attempted').describe('End of an attempt to deliver.'),
    at,
    applicationId,
    receiverId,
    messageId,
    eventType: messageType,
    status: z.number().nullable().describe('HTTP status of the answer; null when there was none.'),
    errorClass: deliveryErrorClass.nullable().describe('null for a success.'),
    latencyMs: z.number().describe('Duration of the attempt in milliseconds.'),
    outcome: z
      .enum(['delivered', 'retry', 'dead', 'disabled'])
      .describe('Decision: retry later, give the message up, or disable the receiver as well.'),
    nextAttemptAt: dateTimeText.nullable().describe('Earliest time of the next attempt; null without one.'),
  })
  .describe('An attempt to deliver a message has ended.');

const accountStatusChanged = z
  .object({
    type: z.literal('account.status.changed').describe('New status of an account.'),
    at,
    applicationId,
    endUserAccountId,
    status: accountStatus.nullable().describe('The new status; null for a deleted account.'),
  })
  .describe('An account was connected, has changed its status, or was deleted.');

const auditWritten = z
  .object({
    type: z.literal('audit.written').describe('New entry of the audit log.'),
    at,
    applicationId: z.string().nullable().describe('Application that it concerns; null for the service as a whole.'),
    entryId: z.string().describe('Id of the entry.'),
    actorType,
    action: z.string().describe('Name of the act, such as `apiKey.revoked`.'),
    target: z.string().describe('Id of the object.'),
  })
  .describe('An entry of the audit log was written.');

/** One thing that a process has done. */
export const activity = z
  .discriminatedUnion('type', [
    notificationReceived,
    pullEnded,
    messageEnqueued,
    deliveryAttempted,
    accountStatusChanged,
    auditWritten,
  ])
  .meta({ id: 'Activity', description: 'One thing that the answering process has done.' });

/** Gap in a stream of activities. */
export const activitiesLost = z
  .object({
    type: z.literal('activities.lost').describe('Gap in the stream.'),
    at,
    lost: z.number().describe('Number of activities that were left out.'),
  })
  .meta({
    id: 'ActivitiesLost',
    description: 'The reader was too slow: older activities were left out before the next one.',
  });

/** `data` of an event of the stream. */
export const streamedActivity = z
  .union([activity, activitiesLost])
  .meta({ id: 'StreamedActivity', description: 'An activity, or what the stream has left out before it.' });

const TYPES = activityType.options.join(', ');

/** Query of GET /admin/v1/activity. */
export const activityQuery = z
  .strictObject({
    applicationId: z
      .string()
      .min(1, 'must not be empty')
      .max(255)
      .optional()
      .meta({ description: 'Only activities of this application.' }),
    types: z
      .string()
      .max(1_024)
      .refine(areTypes, `must be types separated by commas, of ${TYPES}`)
      .optional()
      .meta({ description: `Only these types, separated by commas: ${TYPES}.` }),
  })
  .describe('Query of the stream of activities.');

function areTypes(text: string): boolean {
  return text.split(',').every((type) => activityType.safeParse(type).success);
}
