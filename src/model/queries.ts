import { z } from 'zod';
import { PAGE_SIZE, pageParameters, queryBoolean } from './primitives.ts';

/** A token contains its filters, about 1.5 times their length. */
const syncToken = z
  .string()
  .min(1, 'must not be empty')
  .max(32_768)
  .optional()
  .describe('`nextSyncToken` of an earlier list: the answer has what has changed since then.');

/** Query of GET /v1/endUserAccounts. */
export const accountListQuery = z
  .strictObject({
    ...pageParameters(PAGE_SIZE.accounts.maximum),
    search: z.string().max(320).optional().meta({ description: 'Part of the e-mail address or the externalId.' }),
    statusFilter: z
      .enum(['active', 'expired'], { error: 'must be active or expired' })
      .optional()
      .meta({ description: 'Only accounts of this status.' }),
    providerType: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be the key of a provider: upper-case letters, digits and _')
      .optional()
      .meta({ description: 'Extension: only accounts of this provider, by the key under which it is registered.' }),
  })
  .describe('Query of the list of accounts.');

/** Query of GET /v1/calendars/{endUserAccountId}. */
export const calendarListQuery = z
  .strictObject({ ...pageParameters(PAGE_SIZE.calendars.maximum), syncToken })
  .describe('Query of the list of calendars.');

/** Kinds of events that lists select by: those of eventType, and further ones of providerEventType. */
export const FILTERED_EVENT_TYPES = [
  'default',
  'outOfOffice',
  'focusTime',
  'birthday',
  'fromGmail',
  'workingLocation',
] as const;
const isFilteredEventType = (text: string): boolean => (FILTERED_EVENT_TYPES as readonly string[]).includes(text);

const eventFilters = {
  startDateTime: z.string().max(64).optional().describe('Only events that start at this time or later: ISO 8601.'),
  endDateTime: z.string().max(64).optional().describe('Only events that end at this time or before: ISO 8601.'),
  timeZone: z
    .string()
    .max(64)
    .optional()
    .describe("Zone in which times are shown, by its IANA or Windows name. By default the calendar's."),
  metadataFilters: z
    .string()
    .max(8192)
    .optional()
    .describe('JSON object of texts: only events with each of these extended properties.'),
  search: z.string().max(1024).optional().describe('Only events whose title contains this, in any case.'),
  isCancelled: queryBoolean
    .optional()
    .describe('`true` adds cancelled events, `false` leaves them out. By default occurrences of living series alone.'),
  isAllDay: queryBoolean.optional().describe('Only events that last whole days, or only the others.'),
  updatedAfter: z.string().max(64).optional().describe('Only events that were changed after this time: ISO 8601.'),
  eventTypes: z
    .string()
    .max(256)
    .refine((text) => text.split(',').every(isFilteredEventType), {
      error: `must be a list of ${FILTERED_EVENT_TYPES.join(', ')}, separated by commas`,
    })
    .optional()
    .meta({
      description: `Extension: kinds of events (${FILTERED_EVENT_TYPES.join(', ')}), separated by commas; all kinds when left out.`,
    }),
  orderBy: z
    .enum(['startDateTime', 'updatedDateTime'], { error: 'must be startDateTime or updatedDateTime' })
    .optional()
    .describe('Order of an expanded list.'),
};

const digestParameters = {
  digest: queryBoolean.optional().meta({
    description:
      'Extension: whether the last page tells the digest of the list, by which a copy can be checked. Tokens remember it.',
  }),
  verify: queryBoolean.optional().meta({
    description:
      'Extension: with a `syncToken` whose list has a digest, whether the last page reads the whole list to compare its digest.',
  }),
};

/** Query of GET /v1/events/{endUserAccountId}/{calendarId}. */
export const eventListQuery = z
  .strictObject({
    ...pageParameters(PAGE_SIZE.events.maximum),
    ...eventFilters,
    ...digestParameters,
    syncToken,
    expandRecurrences: queryBoolean
      .optional()
      .describe('Whether series are replaced by their occurrences in the window. By default they are not.'),
  })
  .describe('Query of a list of events, field by field.');

/** Query of GET …/{eventId}/occurrences. */
export const occurrenceListQuery = z
  .strictObject({ ...pageParameters(PAGE_SIZE.events.maximum), ...eventFilters, ...digestParameters, syncToken })
  .describe('Query of the occurrences of a series. Without a token, `startDateTime` and `endDateTime` are required.');

/** Query of GET /v1/events/{endUserAccountId}/{calendarId}/{eventId}. */
export const eventGetQuery = z.strictObject({ timeZone: eventFilters.timeZone }).describe('Query of a single event.');

/** Reach of a write to an occurrence: itself, itself and all later ones, or its whole series. */
export const editScope = z
  .enum(['this', 'following', 'all'], { error: 'must be this, following or all' })
  .describe('Reach of a write to an occurrence: itself, itself and all later ones, or its whole series.');

/** Recipients of the provider's mail about a write: every attendee, those outside the provider's service, or none. */
export const notifyAttendees = z.enum(['all', 'external', 'none'], { error: 'must be all, external or none' }).meta({
  description:
    'Extension: who gets the provider’s mail about the write. Left out, attendees get mail about what they see. Microsoft has no switch: external and none are 422 on a write that sends mail.',
});

/** Query of POST /v1/events/{endUserAccountId}/{calendarId} and of POST …/rsvp. */
export const eventNotifyQuery = z
  .strictObject({ notifyAttendees: notifyAttendees.optional() })
  .describe('Query of a write that may send mail.');

/** Query of PUT and DELETE /v1/events/{endUserAccountId}/{calendarId}/{eventId}. */
export const eventWriteQuery = eventNotifyQuery
  .extend({ scope: editScope.optional() })
  .describe('Query of a write to an event that may be one of a series.');

/** Query of GET /v1/calendarSubscriptions/{endUserAccountId}. */
export const subscriptionListQuery = z
  .strictObject(pageParameters(PAGE_SIZE.subscriptions.maximum))
  .describe('Query of the list of subscriptions.');

/** Query of GET /v1/oauth/authorize/{app_id}/{provider}. */
export const authorizeQuery = z
  .strictObject({
    prompt: z
      .enum(['consent', 'select_account', 'none'], { error: 'must be consent, select_account or none' })
      .optional()
      .describe('Question that the provider asks the person.'),
    loginHint: z
      .email('must be an e-mail address')
      .max(254, 'must be at most 254 characters')
      .optional()
      .describe('Mailbox that has to be connected; another one is refused.'),
    redirectUrl: z
      .string()
      .max(2048)
      .optional()
      .describe("Where the browser returns: a registered URL. By default the application's first one."),
    state: z
      .string()
      .max(1024, 'must be at most 1024 characters')
      .optional()
      .describe('Text that comes back unchanged.'),
    externalId: z
      .string()
      .max(255, 'must be at most 255 characters')
      .optional()
      .describe("The application's own id of the person."),
  })
  .describe('Query of an authorization.');
