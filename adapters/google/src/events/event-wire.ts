/**
 * The fields of Google Calendar v3 events that the adapter reads. Tolerant: other fields are ignored, and a missing
 * field may also be null.
 * @see https://developers.google.com/workspace/calendar/api/v3/reference/events
 */
import type { UnreadableObject } from 'kalends/ports';
import { z } from 'zod';

const text = z.string().nullish();
const flag = z.boolean().nullish();

const time = z.object({ date: text, dateTime: text, timeZone: text });
export type WireTime = z.infer<typeof time>;

const attendee = z.object({
  id: text,
  email: text,
  displayName: text,
  organizer: flag,
  self: flag,
  resource: flag,
  optional: flag,
  responseStatus: text,
  comment: text,
  additionalGuests: z.number().nullish(),
});
export type WireAttendee = z.infer<typeof attendee>;

/** As conferences are shown: absent in place of null. */
function absentForNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const shownText = absentForNull(z.string());
const conferenceKey = absentForNull(z.looseObject({ type: shownText }));

export const wireConference = z.looseObject({
  createRequest: absentForNull(
    z.looseObject({
      requestId: shownText,
      conferenceSolutionKey: conferenceKey,
      status: absentForNull(z.looseObject({ statusCode: shownText })),
    }),
  ),
  entryPoints: absentForNull(z.array(z.looseObject({ entryPointType: shownText, uri: shownText }))),
  conferenceSolution: absentForNull(z.looseObject({ key: conferenceKey })),
  conferenceId: shownText,
});
export type WireConference = z.infer<typeof wireConference>;

export const wireReminders = z.object({
  useDefault: flag,
  overrides: z.array(z.object({ method: text, minutes: z.number().nullish() })).nullish(),
});
export type WireReminders = z.infer<typeof wireReminders>;

type Properties = Readonly<Record<string, string>>;

const isProperties = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((text) => typeof text === 'string');

/** A fault is told of the whole: the keys are people's texts. */
const properties = z.custom<Properties>(isProperties).nullish();

const attachment = z.object({ fileId: text, fileUrl: text, title: text, mimeType: text });

/** Properties that are compared or repeated, and not read. */
const unread = z.unknown().optional();

/** Stands for a recurrence line that is no text. No parser reads it, so that it costs that line alone. */
export const NO_TEXT = 'a line that is no text';

export const wireEvent = z.object({
  id: z.string(),
  etag: text,
  status: text,
  htmlLink: text,
  created: text,
  updated: text,
  sequence: z.number().nullish(),
  summary: text,
  description: text,
  location: text,
  colorId: text,
  eventLabelId: text,
  creator: z.object({ email: text }).nullish(),
  organizer: z.object({ email: text, displayName: text, self: flag }).nullish(),
  start: time.nullish(),
  end: time.nullish(),
  recurrence: z.array(z.string().catch(NO_TEXT)).nullish(),
  recurringEventId: text,
  originalStartTime: time.nullish(),
  transparency: text,
  visibility: text,
  iCalUID: text,
  attendees: z.array(attendee).nullish(),
  attendeesOmitted: flag,
  guestsCanModify: flag,
  guestsCanInviteOthers: flag,
  guestsCanSeeOtherGuests: flag,
  anyoneCanAddSelf: flag,
  privateCopy: flag,
  source: unread,
  extendedProperties: z.object({ private: properties, shared: properties }).nullish(),
  hangoutLink: text,
  conferenceData: wireConference.nullish(),
  reminders: wireReminders.nullish(),
  eventType: text,
  outOfOfficeProperties: unread,
  focusTimeProperties: unread,
  workingLocationProperties: unread,
  birthdayProperties: unread,
  attachments: z.array(attachment).nullish(),
  locked: flag,
});
export type WireEvent = z.infer<typeof wireEvent>;

/** A cancelled event: Google promises few of its fields, and no other is read. */
export const wireCancelled = wireEvent.pick({
  id: true,
  status: true,
  etag: true,
  updated: true,
  sequence: true,
  recurringEventId: true,
  originalStartTime: true,
});

/** One event that is not checked yet: of any shape, so that nonsense costs that event alone. */
export const uncheckedEvent = z.unknown();

/** A page whose events are not checked yet. */
export const uncheckedEventList = z.object({
  items: z.array(z.unknown()).nullish(),
  timeZone: text,
  nextPageToken: text,
  nextSyncToken: text,
});

/** An event of a list, or what is known of one that cannot be read. */
export type ListedEvent = WireEvent | UnreadableObject;

/** A page of events. */
export interface WireEventList extends Omit<z.infer<typeof uncheckedEventList>, 'items'> {
  readonly items: readonly ListedEvent[];
}
