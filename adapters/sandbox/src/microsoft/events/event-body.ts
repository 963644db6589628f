import { z } from 'zod';
import { GraphError } from '../api/graph-error.ts';

/** Creates a schema that reads an OData enum without case and keeps Graph's spelling. */
function graphEnum<const T extends readonly [string, ...string[]]>(values: T) {
  return z.preprocess(
    (value) =>
      typeof value === 'string'
        ? (values.find((known) => known.toLowerCase() === value.toLowerCase()) ?? value)
        : value,
    z.enum(values),
  );
}

const ignored = z.unknown().optional();
const dateTimeTimeZone = z.object({ dateTime: z.string(), timeZone: z.string().nullish() });
const emailAddress = z.object({ name: z.string().nullish(), address: z.string().min(1) });
const location = z.looseObject({ displayName: z.string().nullish() });

export const timeSlot = z.object({ start: dateTimeTimeZone, end: dateTimeTimeZone });
export type TimeSlot = z.infer<typeof timeSlot>;

const attendee = z.object({
  emailAddress,
  type: graphEnum(['required', 'optional', 'resource']).nullish(),
  status: ignored,
  proposedNewTime: timeSlot.nullish(),
});

const day = graphEnum(['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']);

const recurrence = z.strictObject({
  pattern: z.strictObject({
    type: graphEnum(['daily', 'weekly', 'absoluteMonthly', 'relativeMonthly', 'absoluteYearly', 'relativeYearly']),
    interval: z.int(),
    month: z.int().nullish(),
    dayOfMonth: z.int().nullish(),
    daysOfWeek: z.array(day).nullish(),
    firstDayOfWeek: day.nullish(),
    index: graphEnum(['first', 'second', 'third', 'fourth', 'last']).nullish(),
  }),
  range: z.strictObject({
    type: graphEnum(['endDate', 'noEnd', 'numbered']),
    startDate: z.string(),
    endDate: z.string().nullish(),
    recurrenceTimeZone: z.string().nullish(),
    numberOfOccurrences: z.int().nullish(),
  }),
});

/** Extended properties as a request writes them; null removes one. */
export const extendedPropertyList = z.array(z.object({ id: z.string(), value: z.string().nullish() }));

/** The body of a write: read-only properties of an event are ignored, unknown ones refused. */
const eventBody = z.strictObject({
  subject: z.string().nullish(),
  body: z.object({ contentType: graphEnum(['text', 'html']).nullish(), content: z.string().nullish() }).nullish(),
  start: dateTimeTimeZone.optional(),
  end: dateTimeTimeZone.optional(),
  isAllDay: z.boolean().optional(),
  location: location.nullish(),
  locations: z.array(location).nullish(),
  attendees: z.array(attendee).max(500).nullish(),
  categories: z.array(z.string()).nullish(),
  importance: graphEnum(['low', 'normal', 'high']).optional(),
  sensitivity: graphEnum(['normal', 'personal', 'private', 'confidential']).optional(),
  showAs: graphEnum(['free', 'tentative', 'busy', 'oof', 'workingElsewhere', 'unknown']).optional(),
  isReminderOn: z.boolean().nullish(),
  reminderMinutesBeforeStart: z.int().nullish(),
  responseRequested: z.boolean().nullish(),
  allowNewTimeProposals: z.boolean().nullish(),
  hideAttendees: z.boolean().nullish(),
  isOnlineMeeting: z.boolean().nullish(),
  onlineMeetingProvider: graphEnum(['unknown', 'skypeForBusiness', 'skypeForConsumer', 'teamsForBusiness']).nullish(),
  recurrence: recurrence.nullish(),
  transactionId: z.string().nullish(),
  singleValueExtendedProperties: extendedPropertyList.nullish(),
  attachments: ignored,
  bodyPreview: ignored,
  calendar: ignored,
  cancelledOccurrences: ignored,
  changeKey: ignored,
  createdDateTime: ignored,
  exceptionOccurrences: ignored,
  extensions: ignored,
  hasAttachments: ignored,
  iCalUId: ignored,
  id: ignored,
  instances: ignored,
  isCancelled: ignored,
  isDraft: ignored,
  isOrganizer: ignored,
  lastModifiedDateTime: ignored,
  multiValueExtendedProperties: ignored,
  onlineMeeting: ignored,
  onlineMeetingUrl: ignored,
  organizer: ignored,
  originalEndTimeZone: ignored,
  originalStart: ignored,
  originalStartTimeZone: ignored,
  responseStatus: ignored,
  seriesMasterId: ignored,
  type: ignored,
  webLink: ignored,
});

export type EventBody = z.infer<typeof eventBody>;

/** Drops OData annotations, which a client may send back. */
function withoutAnnotations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAnnotations);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !name.includes('@odata.'))
      .map(([name, inner]) => [name, withoutAnnotations(inner)]),
  );
}

/**
 * Reads a body by a schema, in Graph's manner: an unknown or mistyped property fails the whole request.
 * @throws GraphError 400 naming the property
 */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown, type: string): T {
  const result = schema.safeParse(withoutAnnotations(body ?? {}));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('/');
  if (issue?.code === 'unrecognized_keys') {
    const property = [...issue.path, issue.keys[0]].join('/');
    throw new GraphError(
      400,
      'RequestBodyRead',
      `The property '${property}' does not exist on type '${type}'. Make sure to only use property names that are defined by the type.`,
    );
  }
  throw new GraphError(400, 'RequestBodyRead', `Cannot convert the value of property '${path}': ${issue?.message}.`);
}

/** @throws GraphError 400 */
export const parseEventBody = (body: unknown): EventBody => parseBody(eventBody, body, 'microsoft.graph.event');
