import { z } from 'zod';
import {
  calendarEvent,
  conferenceData,
  eventAttendee,
  eventType,
  reminders,
  responseStatus,
  transparency,
  visibility,
} from './event.ts';
import { attendeeKind, writableExtensions } from './event-extensions.ts';
import { FORBIDDEN_KEY_MESSAGE, FORBIDDEN_KEYS } from './forbidden-key.ts';
import { describedAs } from './primitives.ts';

/**
 * Start or end in a body; exactly one of `dateTime` and `date`. `dateTime` with an offset is an instant, without one it is
 * wall time in `timeZone` or else in the calendar's zone; in whole seconds. `date` is a day of an all-day event.
 */
export const eventDateTimeInput = z
  .strictObject({
    dateTime: z
      .string()
      .max(64, 'must be an ISO 8601 date-time')
      .optional()
      .describe('ISO 8601 in whole seconds: with an offset an instant, without one wall time.'),
    date: z
      .string()
      .max(10, 'must be a date such as 2026-03-01')
      .optional()
      .describe('Day of an all-day event, `2026-03-01`.'),
    timeZone: z
      .string()
      .max(64, 'must be an IANA or Windows time zone name')
      .nullable()
      .optional()
      .describe("Zone of wall time, by its IANA or Windows name. By default the calendar's."),
  })
  .superRefine(({ dateTime, date }, context) => {
    if (dateTime === undefined && date === undefined) {
      context.addIssue({ code: 'custom', path: ['dateTime'], message: 'is required' });
    } else if (dateTime !== undefined && date !== undefined) {
      context.addIssue({ code: 'custom', path: ['date'], message: 'must not be sent together with dateTime' });
    }
  })
  .meta({
    id: 'EventDateTimeInput',
    description: 'Start or end in a body: exactly one of `dateTime` and `date`.',
    oneOf: [{ required: ['dateTime'] }, { required: ['date'] }],
  });

const text = (maximum: number) => z.string().max(maximum, `must be at most ${maximum} characters`);

/** Greatest number of extended properties of either kind that a write may leave an event with. */
export const MAX_EXTENDED_PROPERTIES = 50;

const extendedProperties = z.record(
  z
    .string()
    .min(1, 'must not be empty')
    .max(44, 'must be at most 44 characters')
    .refine((key) => !FORBIDDEN_KEYS.has(key), FORBIDDEN_KEY_MESSAGE),
  text(1024).nullable(),
);

const newProperties = extendedProperties.refine(
  (record) => Object.keys(record).length <= MAX_EXTENDED_PROPERTIES,
  `must have at most ${MAX_EXTENDED_PROPERTIES} properties`,
);

/** The provider decides what makes a conference, as far as it takes a meeting by hand. */
export const conferenceDataInput = z
  .strictObject(
    describedAs(conferenceData.shape, {
      ...conferenceData.shape,
      joinUrl: text(8192)
        // A pattern of JSON Schema has no flag for any case.
        .regex(/^[hH][tT][tT][pP][sS]?:\/\/\S+$/, 'must be an address with http or https')
        .optional(),
    }),
  )
  .meta({ id: 'ConferenceDataInput', description: 'Online meeting in a body.' });

/** Greatest number of attendees in a body. */
const MAX_ATTENDEES = 200;

export const eventAttendeeInput = z
  .strictObject(
    describedAs(eventAttendee.shape, {
      id: z.unknown().optional(),
      name: text(254).nullable().optional(),
      email: z.email('must be an e-mail address').max(320),
      responseStatus: responseStatus.optional(),
      kind: attendeeKind.optional(),
      comment: z.unknown().optional(),
    }),
  )
  .meta({ id: 'EventAttendeeInput', description: 'An attendee in a body; `id` and `comment` are ignored.' });

const attendeesOf = <Attendee extends z.ZodType>(attendee: Attendee) =>
  z.array(attendee).max(MAX_ATTENDEES, `must have at most ${MAX_ATTENDEES} attendees`).nullable().optional();

/** An attendee who stays keeps the address that the provider shows, which may be of another form. */
export const eventAttendeeUpdate = eventAttendeeInput
  .extend(describedAs(eventAttendee.shape, { email: text(1024) }))
  .meta({
    id: 'EventAttendeeUpdate',
    description: 'An attendee in a body; `id` and `comment` are ignored. A new one needs an e-mail address.',
  });

/** Writable fields; null clears. The provider limits the description (Google 8,192 characters, Graph 100,000). */
const writable = describedAs(calendarEvent.shape, {
  title: text(1024),
  description: text(100_000).nullable().optional(),
  start: eventDateTimeInput,
  end: eventDateTimeInput
    .nullable()
    .optional()
    .describe('End, exclusive. By default an hour after the start, or a day for an all-day event.'),
  isAllDay: z.boolean().optional(),
  publicExtendedProperties: newProperties.nullable().optional(),
  privateExtendedProperties: newProperties.nullable().optional(),
  isCancelled: z.boolean().optional(),
  recurrence: z.array(z.string().max(8192)).max(64, 'must have at most 64 lines').nullable().optional(),
  colorId: text(64).nullable().optional(),
  customColor: text(64).nullable().optional(),
  myResponseStatus: responseStatus.nullable().optional(),
  attendees: attendeesOf(eventAttendeeInput),
  visibility: visibility.nullable().optional(),
  location: text(1024).nullable().optional(),
  conferenceData: conferenceDataInput.nullable().optional(),
  transparency: transparency.nullable().optional(),
  eventType: eventType.nullable().optional(),
  reminders: reminders.nullable().optional(),
  generateMeetingUrlProvider: text(64).nullable().optional(),
  ...writableExtensions,
});

/** Read-only fields, ignored in a body so that a client can send back a record it has read. */
const ignored = describedAs(calendarEvent.shape, {
  id: z.unknown().optional(),
  etag: z.unknown().optional(),
  createdAt: z.unknown().optional(),
  updatedAt: z.unknown().optional(),
  iCalUid: z.unknown().optional(),
  providerEventType: z.unknown().optional(),
  hasAttachments: z.unknown().optional(),
});

/** Derived fields that the spec calls writable: accepted when equal to the stored value. */
const derived = describedAs(calendarEvent.shape, {
  isRecurring: z.unknown().optional(),
  isException: z.unknown().optional(),
  recurringEventId: z.unknown().optional(),
  originalStart: z.unknown().optional(),
  webLink: z.unknown().optional(),
  organizer: z.unknown().optional(),
  creator: z.unknown().optional(),
});

/** Names of the derived fields, in the order of spec §2.4. */
export const DERIVED_EVENT_FIELDS = Object.keys(derived) as readonly (keyof typeof derived)[];
/** Names of the read-only fields that a body may carry without effect. */
export const IGNORED_EVENT_FIELDS = Object.keys(ignored) as readonly (keyof typeof ignored)[];

/** Body of POST /v1/events/{endUserAccountId}/{calendarId}. */
export const eventCreate = z.strictObject({ ...writable, ...derived, ...ignored }).meta({
  id: 'CalendarEventCreate',
  description: 'An event to create. Read-only fields are ignored, so that a record that was read can be sent.',
});

/** Body of PUT: absent fields stay. */
export const eventUpdate = z
  .strictObject({
    ...writable,
    ...describedAs(calendarEvent.shape, {
      title: text(1024).nullable().optional(),
      start: eventDateTimeInput.optional(),
      attendees: attendeesOf(eventAttendeeUpdate),
      // Merged by key: how many that makes is only known beside the event.
      publicExtendedProperties: extendedProperties.nullable().optional(),
      privateExtendedProperties: extendedProperties.nullable().optional(),
    }),
    ...derived,
    ...ignored,
  })
  .meta({
    id: 'CalendarEventUpdate',
    description: 'Changes of an event: absent fields stay, null clears. Read-only fields are ignored.',
  });

/** Body of POST …/rsvp. */
export const rsvpBody = z
  .strictObject({
    responseStatus,
    comment: text(1024).nullable().optional().meta({ description: 'Extension: a word to the organizer.' }),
  })
  .meta({ id: 'Rsvp', description: "The account's answer to an invitation." });
