import { z } from 'zod';
import { attendeeKind, shownExtensions } from './event-extensions.ts';

export const responseStatus = z.enum(['needsAction', 'declined', 'tentative', 'accepted']);
export type ResponseStatus = z.infer<typeof responseStatus>;

/** Spec §2.4: start or end of an event. All-day events have a dateTime at midnight without an offset. */
export const eventDateTime = z.object({ dateTime: z.string(), timeZone: z.string() }).meta({ id: 'EventDateTime' });
export type EventDateTime = z.infer<typeof eventDateTime>;

/** Original start of an occurrence; date-only for all-day series. */
export const originalStart = z.union([eventDateTime, z.object({ date: z.string() })]).meta({ id: 'OriginalStart' });
export type OriginalStart = z.infer<typeof originalStart>;

export const eventAttendee = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    responseStatus,
    kind: attendeeKind.meta({ description: 'Extension: required, optional, or a room or other resource.' }),
    comment: z.string().optional().meta({ description: 'Extension: comment of the response. Read-only.' }),
  })
  .meta({ id: 'EventAttendee' });
export type EventAttendee = z.infer<typeof eventAttendee>;

export const conferenceData = z
  .looseObject({
    conferenceId: z.string().optional(),
    conferenceType: z.string().optional(),
    joinUrl: z.string().optional(),
    conferenceDetails: z.looseObject({}).optional(),
  })
  .meta({ id: 'ConferenceData' });
export type ConferenceData = z.infer<typeof conferenceData>;

export const reminders = z
  .strictObject({
    useDefault: z.boolean().optional(),
    isReminderOn: z.boolean().optional(),
    overrides: z
      .array(z.strictObject({ method: z.enum(['email', 'popup']), minutes: z.number().int().min(0).max(40_320) }))
      .max(5)
      .optional(),
  })
  .meta({ id: 'Reminders' });
export type Reminders = z.infer<typeof reminders>;

export const visibility = z.enum(['default', 'public', 'private', 'confidential']);
export const transparency = z.enum(['transparent', 'opaque']);
export const eventType = z.enum(['default', 'outOfOffice', 'focusTime']);

/** Spec §2.4: an event, a series master, an exception or an occurrence. */
export const calendarEvent = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    etag: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    start: eventDateTime,
    end: eventDateTime,
    isAllDay: z.boolean(),
    publicExtendedProperties: z.record(z.string(), z.string()),
    privateExtendedProperties: z.record(z.string(), z.string()),
    isRecurring: z.boolean(),
    isException: z.boolean(),
    isCancelled: z.boolean(),
    recurrence: z.array(z.string()).nullable(),
    originalStart: originalStart.optional(),
    recurringEventId: z.string().optional(),
    colorId: z.string().optional(),
    customColor: z.string().optional(),
    myResponseStatus: responseStatus.optional(),
    attendees: z.array(eventAttendee),
    visibility,
    location: z.string(),
    conferenceData: conferenceData.optional(),
    webLink: z.string(),
    iCalUid: z.string(),
    transparency,
    eventType,
    organizer: z.object({ name: z.string().optional(), email: z.string().optional(), isSelf: z.boolean() }).optional(),
    creator: z.object({ email: z.string().optional() }).optional(),
    reminders,
    generateMeetingUrlProvider: z.string().optional(),
    ...shownExtensions,
  })
  .meta({ id: 'CalendarEvent' });
export type CalendarEvent = z.infer<typeof calendarEvent>;

/** Record of a sync result that tells the client to drop an event. */
export const deletedEvent = z
  .object({
    id: z.string(),
    isCancelled: z.literal(true),
    isDeleted: z.literal(true),
    recurringEventId: z.string().optional(),
    originalStart: originalStart.optional(),
  })
  .meta({ id: 'DeletedEvent' });
export type DeletedEvent = z.infer<typeof deletedEvent>;
