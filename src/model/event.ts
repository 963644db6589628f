import { z } from 'zod';
import { attendeeKind, shownExtensions } from './event-extensions.ts';

export const responseStatus = z
  .enum(['needsAction', 'declined', 'tentative', 'accepted'])
  .describe('Answer to an invitation; `needsAction` before there is one.');

/** Spec §2.4: start or end of an event. All-day events have a dateTime at midnight without an offset. */
export const eventDateTime = z
  .object({
    dateTime: z
      .string()
      .describe('`2026-03-01T09:00:00-05:00`; midnight without an offset, `2026-03-01T00:00:00`, if all-day.'),
    timeZone: z.string().describe('IANA time zone name.'),
  })
  .meta({ id: 'EventDateTime', description: 'A point in time of an event, or a day of an all-day event.' });

/** Original start of an occurrence; date-only for all-day series. */
export const originalStart = z
  .union([eventDateTime, z.object({ date: z.string().describe('Day in an all-day series, `2026-03-01`.') })])
  .meta({ id: 'OriginalStart', description: 'Start of an occurrence by the rule of its series, before it was moved.' });

export const eventAttendee = z
  .object({
    id: z.string().describe('Id of the attendee within the event.'),
    name: z.string().describe('Display name; empty where it is unknown.'),
    email: z.string().describe('E-mail address.'),
    responseStatus,
    kind: attendeeKind.meta({ description: 'Extension: required, optional, or a room or other resource.' }),
    comment: z.string().optional().meta({ description: 'Extension: comment of the response. Read-only.' }),
  })
  .meta({ id: 'EventAttendee', description: 'A person, a group or a resource that is invited to an event.' });

export const conferenceDetails = z
  .looseObject({
    createRequest: z
      .looseObject({
        requestId: z.string().optional().describe('Id of the request.'),
        conferenceSolutionKey: z
          .looseObject({ type: z.string().optional().describe('Meeting service.') })
          .optional()
          .describe('The service that is asked for.'),
        status: z
          .looseObject({ statusCode: z.string().optional().describe('`pending`, `success` or `failure`.') })
          .optional()
          .describe('How far it is.'),
      })
      .optional()
      .describe('Request to the provider to make the conference.'),
    entryPoints: z
      .array(
        z.looseObject({
          entryPointType: z.string().optional().describe('`video`, `phone`, `sip` or `more`.'),
          uri: z.string().optional().describe('Address, such as `https:` or `tel:`.'),
          label: z.string().optional().describe('The address, as it is shown to people.'),
        }),
      )
      .optional()
      .describe('Ways into the conference.'),
    conferenceSolution: z
      .looseObject({
        key: z
          .looseObject({ type: z.string().optional().describe('Meeting service.') })
          .optional()
          .describe('Which service it is.'),
        name: z.string().optional().describe('Name for people.'),
        iconUri: z.string().optional().describe('Address of its icon; may be empty.'),
      })
      .optional()
      .describe('The meeting service.'),
    conferenceId: z.string().optional().describe("The meeting service's id of the conference."),
  })
  .meta({
    id: 'ConferenceDetails',
    description: 'A conference as the provider describes it; it may have further fields.',
  });

export const conferenceData = z
  .looseObject({
    conferenceId: z.string().optional().describe("The meeting service's id of the conference."),
    conferenceType: z.string().optional().describe('Meeting service.'),
    joinUrl: z.string().optional().describe('Where the conference is joined.'),
    conferenceDetails: conferenceDetails.optional().describe('The conference as the provider describes it.'),
  })
  .meta({ id: 'ConferenceData', description: 'Online meeting of an event.' });

export const reminders = z
  .strictObject({
    useDefault: z.boolean().optional().describe("Whether the calendar's default reminders apply."),
    isReminderOn: z.boolean().optional().describe('Whether there is any reminder.'),
    overrides: z
      .array(
        z.strictObject({
          method: z.enum(['email', 'popup']).describe('Way in which the person is reminded.'),
          minutes: z.number().int().min(0).max(40_320).describe('Minutes before the start.'),
        }),
      )
      .max(5)
      .optional()
      .describe('Reminders in place of the default ones.'),
  })
  .meta({ id: 'Reminders', description: 'Reminders of an event.' });

export const visibility = z
  .enum(['default', 'public', 'private', 'confidential'])
  .describe("Who sees the details of an event; `default` is the calendar's setting.");
export const transparency = z
  .enum(['transparent', 'opaque'])
  .describe('Whether an event blocks time: an opaque one does.');
export const eventType = z
  .enum(['default', 'outOfOffice', 'focusTime'])
  .describe('Kind of an event; `providerEventType` has further ones.');

/** Spec §2.4: an event, a series master, an exception or an occurrence. */
export const calendarEvent = z
  .object({
    id: z
      .string()
      .describe("The provider's id; of an occurrence, the id of its series and the UTC time of its original start."),
    title: z.string().describe('Title.'),
    description: z.string().describe('Notes, as text.'),
    etag: z.string().describe('Version of the event, for `ifMatch`.'),
    createdAt: z.string().describe('Time of creation, in UTC.'),
    updatedAt: z.string().describe('Time of the last change, in UTC.'),
    start: eventDateTime.describe('Start.'),
    end: eventDateTime.describe('End, exclusive.'),
    isAllDay: z.boolean().describe('Whether the event lasts whole days.'),
    publicExtendedProperties: z
      .record(z.string(), z.string())
      .describe("The application's own properties; other attendees' copies have them too."),
    privateExtendedProperties: z
      .record(z.string(), z.string())
      .describe("The application's own properties; only this account sees them."),
    isRecurring: z.boolean().describe('Whether it is a series: its occurrences follow `recurrence`.'),
    isException: z.boolean().describe('Whether it is an occurrence of a series; see `recurringEventId`.'),
    isCancelled: z.boolean().describe('Whether it is cancelled; a cancelled occurrence keeps its record.'),
    recurrence: z
      .array(z.string())
      .nullable()
      .describe('RRULE, RDATE and EXDATE lines of RFC 5545; null for an event that is no series.'),
    originalStart: originalStart.optional().describe('Start by the rule of the series, before it was moved.'),
    recurringEventId: z.string().optional().describe('Id of the series that the occurrence belongs to.'),
    colorId: z.string().optional().describe("One of the provider's colours."),
    customColor: z.string().optional().describe('A colour of the application, as it was written.'),
    myResponseStatus: responseStatus.optional().describe("The account's own answer; absent without an invitation."),
    attendees: z.array(eventAttendee).describe('Invited people and resources.'),
    visibility,
    location: z.string().describe('Place or address; empty without one.'),
    conferenceData: conferenceData.optional().describe('Online meeting; absent without one.'),
    webLink: z.string().describe("The event in the provider's own calendar; may be empty."),
    iCalUid: z.string().describe('UID of RFC 5545: the same in the copies of all attendees.'),
    transparency,
    eventType,
    organizer: z
      .object({
        name: z.string().optional().describe('Display name.'),
        email: z.string().optional().describe('E-mail address.'),
        isSelf: z.boolean().describe('Whether it is the account itself.'),
      })
      .optional()
      .describe('Organizer of the meeting.'),
    creator: z
      .object({ email: z.string().optional().describe('E-mail address.') })
      .optional()
      .describe('Person who created the event.'),
    reminders,
    generateMeetingUrlProvider: z
      .string()
      .optional()
      .describe("Meeting service that makes the event's online meeting; one of the calendar's allowed ones."),
    ...shownExtensions,
  })
  .meta({ id: 'CalendarEvent', description: 'An event, a series, or an occurrence of a series.' });

/** Record of a sync result that tells the client to drop an event. */
export const deletedEvent = z
  .object({
    id: z.string().describe('Id of the event.'),
    isCancelled: z.literal(true).describe('As in a cancelled event.'),
    isDeleted: z.literal(true).describe('Tells the record from a cancelled event, which is kept.'),
    recurringEventId: z.string().optional().describe('Id of the series of an occurrence.'),
    originalStart: originalStart.optional().describe('Start by the rule of the series, of an occurrence.'),
  })
  .meta({
    id: 'DeletedEvent',
    description: 'Record of a sync result: drop this event. It is deleted, or no longer matches the filters.',
  });
