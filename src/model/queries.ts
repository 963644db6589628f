import { z } from 'zod';
import { PAGE_SIZE, pageParameters, queryBoolean } from './primitives.ts';

/** A token contains its filters, about 1.5 times their length. */
const token = z.string().min(1, 'must not be empty').max(32_768);

/** Query of GET /v1/endUserAccounts. */
export const accountListQuery = z.strictObject({
  ...pageParameters(PAGE_SIZE.accounts.maximum),
  search: z.string().max(320).optional().meta({ description: 'Part of the e-mail address or the externalId.' }),
  statusFilter: z
    .enum(['active', 'expired'], { error: 'must be active or expired' })
    .optional()
    .meta({ description: 'Only accounts of this status.' }),
});
export type AccountListQuery = z.input<typeof accountListQuery>;

/** Query of GET /v1/calendars/{endUserAccountId}. */
export const calendarListQuery = z.strictObject({
  ...pageParameters(PAGE_SIZE.calendars.maximum),
  syncToken: token.optional(),
});
export type CalendarListQuery = z.input<typeof calendarListQuery>;

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
  startDateTime: z.string().max(64).optional(),
  endDateTime: z.string().max(64).optional(),
  timeZone: z.string().max(64).optional(),
  metadataFilters: z.string().max(8192).optional(),
  search: z.string().max(1024).optional(),
  isCancelled: queryBoolean.optional(),
  isAllDay: queryBoolean.optional(),
  updatedAfter: z.string().max(64).optional(),
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
    .optional(),
};

/** Query of GET /v1/events/{endUserAccountId}/{calendarId}. */
export const eventListQuery = z.strictObject({
  ...pageParameters(PAGE_SIZE.events.maximum),
  ...eventFilters,
  syncToken: token.optional(),
  expandRecurrences: queryBoolean.optional(),
});
/** Expanded lists need their window, unless a token already says it. */
export type EventListQuery = z.input<typeof eventListQuery> &
  (
    | { readonly expandRecurrences?: false | 'false' | undefined }
    | { readonly startDateTime: string; readonly endDateTime: string }
    | { readonly syncToken: string }
    | { readonly pageToken: string }
  );

/** Query of GET …/{eventId}/occurrences. */
export const occurrenceListQuery = z.strictObject({
  ...pageParameters(PAGE_SIZE.events.maximum),
  ...eventFilters,
  syncToken: token.optional(),
});
export type OccurrenceListQuery = z.input<typeof occurrenceListQuery>;

/** Query of GET /v1/events/{endUserAccountId}/{calendarId}/{eventId}. */
export const eventGetQuery = z.strictObject({ timeZone: z.string().max(64).optional() });
export type EventGetQuery = z.input<typeof eventGetQuery>;

/** Reach of a write to an occurrence: itself, itself and all later ones, or its whole series. */
export const editScope = z.enum(['this', 'following', 'all'], { error: 'must be this, following or all' });
export type EditScope = z.infer<typeof editScope>;

/** Recipients of the provider's mail about a write: every attendee, those outside the provider's service, or none. */
export const notifyAttendees = z.enum(['all', 'external', 'none'], { error: 'must be all, external or none' }).meta({
  description:
    'Extension: who gets the provider’s mail about the write. Left out, attendees get mail about what they see. Microsoft has no switch: external and none are 422 on a write that sends mail.',
});
export type NotifyAttendees = z.infer<typeof notifyAttendees>;

/** Query of POST /v1/events/{endUserAccountId}/{calendarId} and of POST …/rsvp. */
export const eventNotifyQuery = z.strictObject({ notifyAttendees: notifyAttendees.optional() });
export type EventNotifyQuery = z.input<typeof eventNotifyQuery>;

/** Query of PUT and DELETE /v1/events/{endUserAccountId}/{calendarId}/{eventId}. */
export const eventWriteQuery = eventNotifyQuery.extend({ scope: editScope.optional() });
export type EventWriteQuery = z.input<typeof eventWriteQuery>;

/** Query of GET /v1/calendarSubscriptions/{endUserAccountId}. */
export const subscriptionListQuery = z.strictObject(pageParameters(PAGE_SIZE.subscriptions.maximum));
export type SubscriptionListQuery = z.input<typeof subscriptionListQuery>;

/** Query of GET /v1/oauth/authorize/{app_id}/{provider}. */
export const authorizeQuery = z.strictObject({
  prompt: z
    .enum(['consent', 'select_account', 'none'], { error: 'must be consent, select_account or none' })
    .optional(),
  loginHint: z.email('must be an e-mail address').max(254, 'must be at most 254 characters').optional(),
  redirectUrl: z.string().max(2048).optional(),
  state: z.string().max(1024, 'must be at most 1024 characters').optional(),
  externalId: z.string().max(255, 'must be at most 255 characters').optional(),
});
export type AuthorizeQuery = z.input<typeof authorizeQuery>;
