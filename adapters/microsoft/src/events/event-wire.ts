import type { UnreadableObject } from 'kalends/ports';
import { z } from 'zod';

/** A point in time as Graph writes it: wall time without offset, and the zone it is read in. */
const wireTime = z.object({ dateTime: z.string(), timeZone: z.string().nullish() });
export type WireTime = z.infer<typeof wireTime>;

const person = z.object({ name: z.string().nullish(), address: z.string().nullish() }).nullish();

const response = z.object({ response: z.string().nullish(), time: z.string().nullish() }).nullish();

const wireAttendee = z.object({
  type: z.string().nullish(),
  status: response,
  emailAddress: person,
  // It is repeated, and not shown.
  proposedNewTime: z.object({ start: wireTime, end: wireTime }).nullish().catch(null),
});
export type WireAttendee = z.infer<typeof wireAttendee>;

export const wireProperty = z.object({ id: z.string(), value: z.string().nullish() });
export type WireProperty = z.infer<typeof wireProperty>;

const wirePattern = z.object({
  type: z.string(),
  interval: z.number().nullish(),
  month: z.number().nullish(),
  dayOfMonth: z.number().nullish(),
  daysOfWeek: z.array(z.string()).nullish(),
  firstDayOfWeek: z.string().nullish(),
  index: z.string().nullish(),
});

const wireRange = z.object({
  type: z.string(),
  startDate: z.string().nullish(),
  endDate: z.string().nullish(),
  recurrenceTimeZone: z.string().nullish(),
  numberOfOccurrences: z.number().nullish(),
});

export const wireRecurrence = z.object({ pattern: wirePattern, range: wireRange });
export type WireRecurrence = z.infer<typeof wireRecurrence>;

const phone = z.object({ number: z.string().nullish(), type: z.string().nullish() });

const onlineMeeting = z
  .object({
    joinUrl: z.string().nullish(),
    conferenceId: z.string().nullish(),
    tollNumber: z.string().nullish(),
    tollFreeNumbers: z.array(z.string()).nullish(),
    phones: z.array(phone).nullish(),
  })
  .nullish();

const text = z.string().nullish();
// An OData double may be a text such as NaN.
const degrees = z.number().nullish().catch(null);

const wireLocation = z.object({
  displayName: text,
  address: z.object({ street: text, city: text, state: text, postalCode: text, countryOrRegion: text }).nullish(),
  coordinates: z.object({ latitude: degrees, longitude: degrees }).nullish(),
  locationUri: text,
  locationEmailAddress: text,
  locationType: text,
});
export type WireLocation = z.infer<typeof wireLocation>;

const fields = {
  id: z.string().min(1),
  '@odata.etag': z.string().nullish(),
  changeKey: z.string().nullish(),
  type: z.string().nullish(),
  seriesMasterId: z.string().nullish(),
  originalStart: z.string().nullish(),
  originalStartTimeZone: z.string().nullish(),
  originalEndTimeZone: z.string().nullish(),
  createdDateTime: z.string().nullish(),
  lastModifiedDateTime: z.string().nullish(),
  subject: z.string().nullish(),
  body: z.object({ contentType: z.string().nullish(), content: z.string().nullish() }).nullish(),
  start: wireTime,
  end: wireTime,
  isAllDay: z.boolean().nullish(),
  isCancelled: z.boolean().nullish(),
  isOrganizer: z.boolean().nullish(),
  responseRequested: z.boolean().nullish(),
  responseStatus: response,
  attendees: z.array(wireAttendee).nullish(),
  organizer: z.object({ emailAddress: person }).nullish(),
  sensitivity: z.string().nullish(),
  importance: z.string().nullish(),
  showAs: z.string().nullish(),
  location: wireLocation.nullish(),
  // They are repeated, and not shown.
  locations: z.array(wireLocation).nullish().catch(null),
  categories: z.array(z.string()).nullish(),
  hideAttendees: z.boolean().nullish(),
  allowNewTimeProposals: z.boolean().nullish(),
  hasAttachments: z.boolean().nullish(),
  isReminderOn: z.boolean().nullish(),
  reminderMinutesBeforeStart: z.number().nullish(),
  isOnlineMeeting: z.boolean().nullish(),
  onlineMeetingProvider: z.string().nullish(),
  onlineMeeting,
  onlineMeetingUrl: z.string().nullish(),
  iCalUId: z.string().nullish(),
  webLink: z.string().nullish(),
  recurrence: wireRecurrence.nullish(),
  singleValueExtendedProperties: z.array(wireProperty).nullish(),
};

/** The fields of an event that the adapter reads; every field that Graph may leave out is optional. */
export const wireEvent = z.object(fields);
export type WireEvent = z.infer<typeof wireEvent>;

/** A series master read on its own, with its exceptions and deleted slots. */
export const wireMaster = z.object({
  ...fields,
  exceptionOccurrences: z.array(wireEvent).nullish(),
  'exceptionOccurrences@odata.nextLink': z.string().nullish(),
  cancelledOccurrences: z.array(z.string()).nullish(),
});

/** A series master whose exceptions and deleted slots are checked one by one. */
export const uncheckedMaster = z.object({
  ...fields,
  exceptionOccurrences: z.array(z.unknown()).nullish(),
  'exceptionOccurrences@odata.nextLink': z.string().nullish(),
  cancelledOccurrences: z.array(z.unknown()).nullish(),
});

export type WireMaster = z.infer<typeof wireMaster> & {
  readonly unreadableExceptions?: readonly UnreadableObject[];
  /** Faults of the parts of the master that were passed over. */
  readonly unreadableParts?: readonly string[];
  /** Descriptions of exceptions in HTML, by their ids, where they were read for making the exceptions anew. */
  readonly exceptionBodies?: ReadonlyMap<string, string>;
};

/** An event of a list, or what is known of one that cannot be read. */
export type ListedEvent = WireEvent | UnreadableObject;

/** One event that is not checked yet: of any shape, so that nonsense costs that event alone. */
export const uncheckedEvent = z.unknown();

/** A page whose events are not checked yet. */
export const uncheckedEventPage = z.object({ value: z.array(z.unknown()), '@odata.nextLink': z.string().nullish() });

/**
 * The fields that files, items and references have in common. The content of files (`contentBytes`) is not among them, and v1.0
 * has no address of a reference.
 */
const attachmentFields = {
  id: z.string().min(1),
  name: z.string().nullish(),
  contentType: z.string().nullish(),
  size: z.number().nullish(),
  isInline: z.boolean().nullish(),
};
const wireAttachment = z.object(attachmentFields);
export type WireAttachment = z.infer<typeof wireAttachment>;
export const attachmentPage = z.object({ value: z.array(wireAttachment), '@odata.nextLink': z.string().nullish() });
/** Value of the `$select` of attachments: without it Graph sends the content of files. */
export const ATTACHMENT_FIELDS = Object.keys(attachmentFields);

/** An item of a delta round: a stub, a whole entity or a removal. */
const deltaItem = z.object({
  id: z.string().min(1),
  '@odata.etag': z.string().nullish().catch(null),
  type: z.string().nullish().catch(null),
  seriesMasterId: z.string().nullish().catch(null),
  '@removed': z.object({ reason: z.string().nullish() }).nullish().catch(null),
});
export type DeltaItem = z.infer<typeof deltaItem>;

export const deltaPage = z.object({
  /** Items without an id say nothing; a full pull finds such objects. */
  value: z.array(deltaItem.or(z.unknown().transform(() => undefined))),
  '@odata.nextLink': z.string().nullish(),
  '@odata.deltaLink': z.string().nullish(),
});

/** Value of a required `$select`: all fields of the schema above. */
export const SELECTED_FIELDS: readonly string[] = Object.keys(fields).filter(
  (name) => !name.startsWith('@') && name !== 'singleValueExtendedProperties',
);
