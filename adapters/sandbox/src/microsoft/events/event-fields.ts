import { GraphError, invalidRequest, propertyFailure } from '../api/graph-error.ts';
import type { EventFields, StoredAttendee, StoredTime, StoredTimeSlot } from '../state.ts';
import { DAY_MS, instantOfTime, readGraphTime, zoneOf } from '../times.ts';
import type { EventBody, TimeSlot } from './event-body.ts';
import { mergeExtendedProperties } from './extended-properties.ts';
import { afterBodyChange } from './online-meeting.ts';

const NO_TIME: StoredTime = { wallMs: 0, timeZone: 'UTC' };

/** The default fields of an event. */
export const EMPTY_FIELDS: EventFields = {
  subject: '',
  body: { contentType: 'html', content: '' },
  start: NO_TIME,
  end: NO_TIME,
  isAllDay: false,
  locations: [],
  attendees: [],
  categories: [],
  importance: 'normal',
  sensitivity: 'normal',
  showAs: 'busy',
  isReminderOn: true,
  reminderMinutesBeforeStart: 15,
  responseRequested: true,
  allowNewTimeProposals: true,
  hideAttendees: false,
  isOnlineMeeting: false,
  onlineMeetingProvider: 'unknown',
  joinUrl: null,
  meetingDueAt: null,
  responseStatus: { response: 'organizer', at: null },
  isCancelled: false,
  extendedProperties: {},
};

type Written = Partial<{ -readonly [K in keyof EventFields]: EventFields[K] }>;

/** Properties that are copied unchanged when they are sent and not null. */
const PLAIN = [
  'isAllDay',
  'importance',
  'sensitivity',
  'showAs',
  'isReminderOn',
  'reminderMinutesBeforeStart',
  'responseRequested',
  'allowNewTimeProposals',
  'hideAttendees',
] as const;

function plainFields(body: EventBody): Written {
  return Object.fromEntries(PLAIN.flatMap((name) => (body[name] == null ? [] : [[name, body[name]]])));
}

export const readTimeSlot = ({ start, end }: TimeSlot): StoredTimeSlot => ({
  start: readGraphTime(start, 'Start'),
  end: readGraphTime(end, 'End'),
});

/** Replaces the attendees as a whole; those who stay keep their answers, and proposals that the body repeats. */
function attendeesFrom(body: EventBody, current: EventFields): StoredAttendee[] {
  const answers = new Map(current.attendees.map((attendee) => [attendee.emailAddress.address.toLowerCase(), attendee]));
  return (body.attendees ?? []).map(({ emailAddress, type, proposedNewTime }) => ({
    emailAddress: { address: emailAddress.address, name: emailAddress.name || emailAddress.address },
    type: type ?? 'required',
    status: answers.get(emailAddress.address.toLowerCase())?.status ?? { response: 'none', at: null },
    ...(proposedNewTime ? { proposedNewTime: readTimeSlot(proposedNewTime) } : {}),
  }));
}

function locationsFrom(body: EventBody): EventFields['locations'] {
  const given = body.locations ?? (body.location ? [body.location] : []);
  return given.filter(
    ({ displayName, ...details }) => displayName || Object.values(details).some((part) => part != null),
  );
}

/**
 * Returns the fields that a body changes, checked together with the unchanged ones.
 * @throws GraphError 400 for impossible times
 */
export function changedFields(body: EventBody, current: EventFields): Partial<EventFields> {
  const changed: Written = plainFields(body);
  if (body.subject !== undefined) changed.subject = body.subject ?? '';
  if (body.body !== undefined) {
    changed.body = { contentType: body.body?.contentType ?? 'html', content: body.body?.content ?? '' };
  }
  if (body.start) changed.start = readGraphTime(body.start, 'Start');
  if (body.end) changed.end = readGraphTime(body.end, 'End');
  if (body.location !== undefined || body.locations !== undefined) changed.locations = locationsFrom(body);
  if (body.attendees !== undefined) changed.attendees = attendeesFrom(body, current);
  if (body.categories !== undefined) changed.categories = body.categories ?? [];
  if (body.singleValueExtendedProperties) {
    changed.extendedProperties = mergeExtendedProperties(
      current.extendedProperties,
      body.singleValueExtendedProperties,
    );
  }
  const next = { ...current, ...changed };
  checkTimes(next);
  if (!changed.body) return changed;
  const { isOnlineMeeting, onlineMeetingProvider, joinUrl } = afterBodyChange(next);
  return { ...changed, isOnlineMeeting, onlineMeetingProvider, joinUrl };
}

/** @throws GraphError 400 when the end is before the start, or an all-day event is not made of whole days */
function checkTimes({ start, end, isAllDay }: EventFields): void {
  if (!isAllDay) {
    if (instantOfTime(end) < instantOfTime(start)) {
      throw new GraphError(
        400,
        'ErrorCalendarEndDateIsEarlierThanStartDate',
        'The calendar event end date is earlier than its start date.',
      );
    }
    return;
  }
  for (const [name, time] of [['Start', start] as const, ['End', end] as const]) {
    if (time.wallMs % DAY_MS !== 0) {
      throw invalidRequest(`The Event.${name} property for an all-day event needs to be set to midnight.`);
    }
  }
  if (zoneOf(start.timeZone) !== zoneOf(end.timeZone)) {
    throw invalidRequest('The Event.Start and Event.End of an all-day event must be in the same time zone.');
  }
  if (end.wallMs - start.wallMs < DAY_MS) {
    throw invalidRequest('The duration of an event marked as All day must be at least 24 hours.');
  }
}

/** @throws GraphError 400 when a new event lacks its times */
export function requireTimes(body: EventBody): void {
  for (const name of ['start', 'end'] as const) {
    if (!body[name]) throw propertyFailure(`At least one property failed validation. Properties: ${name}`);
  }
}
