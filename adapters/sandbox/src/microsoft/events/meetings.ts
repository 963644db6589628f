import { invalidRequest } from '../api/graph-error.ts';
import { seriesOf } from '../series/series.ts';
import {
  defaultCalendarOf,
  type EventFields,
  findMailbox,
  type MicrosoftWorld,
  type ResponseStatus,
  type SeriesState,
  type StoredAttendee,
  type StoredCalendar,
  type StoredEvent,
  type StoredException,
  type StoredTimeSlot,
} from '../state.ts';
import {
  newChangeKey,
  recordCreated,
  recordDeleted,
  recordRestored,
  recordSlotChanged,
  recordUpdated,
} from '../sync/changes.ts';
import type { Item } from './event-view.ts';
import { fieldsOf } from './event-view.ts';
import { mailAttendees, mailOrganizer } from './mail.ts';

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

const addressesOf = (attendees: readonly StoredAttendee[]): string[] =>
  attendees.map(({ emailAddress }) => emailAddress.address.toLowerCase());

const NOT_RESPONDED: ResponseStatus = { response: 'notResponded', at: null };

const SHOWN_AS: Readonly<Partial<Record<ResponseStatus['response'], EventFields['showAs']>>> = {
  accepted: 'busy',
  tentativelyAccepted: 'tentative',
  notResponded: 'tentative',
};

/** Returns the fields that an attendee's copy takes from the organizer's event; the others belong to the attendee. */
function sharedFields(fields: Partial<EventFields>): Partial<EventFields> {
  const {
    extendedProperties,
    responseStatus,
    isReminderOn,
    reminderMinutesBeforeStart,
    categories,
    showAs,
    meetingDueAt,
    ...shared
  } = fields;
  return shared;
}

function copyFields(organizers: EventFields, current: EventFields | null): EventFields {
  const isMoved = current && !(isSame(current.start, organizers.start) && isSame(current.end, organizers.end));
  const responseStatus = current && !isMoved ? current.responseStatus : NOT_RESPONDED;
  const own = current ?? { ...organizers, extendedProperties: {}, categories: [], meetingDueAt: null };
  return {
    ...own,
    ...sharedFields(organizers),
    responseStatus,
    showAs: organizers.showAs === 'free' ? 'free' : (SHOWN_AS[responseStatus.response] ?? own.showAs),
  };
}

const canceled = (subject: string): string => (subject.startsWith('Canceled: ') ? subject : `Canceled: ${subject}`);

const cancelledFields = (fields: EventFields): Partial<EventFields> => ({
  isCancelled: true,
  subject: canceled(fields.subject),
  showAs: 'free',
});

/** Copies the organizer's series for an attendee: deleted slots become cancelled exceptions. */
function copySeries(world: MicrosoftWorld, event: StoredEvent, current: SeriesState | null): SeriesState | null {
  const source = event.series;
  if (!source) return null;
  const isKept = current?.generation === source.generation;
  const exceptions: Record<string, StoredException> = isKept ? { ...current.exceptions } : {};
  const cancelled = isKept ? { ...current.cancelled } : {};
  const setException = (date: string, fields: Partial<EventFields>): void => {
    const before = exceptions[date];
    const next = { ...before?.fields, ...fields };
    if (cancelled[date] || (before && isSame(before.fields, next))) return;
    exceptions[date] = { fields: next, changeKey: newChangeKey(world), modifiedAt: event.modifiedAt, seq: 0 };
  };
  for (const [date, exception] of Object.entries(source.exceptions)) setException(date, sharedFields(exception.fields));
  for (const date of Object.keys(source.cancelled)) setException(date, cancelledFields(event.fields));
  return {
    recurrence: source.recurrence,
    generation: source.generation,
    exceptions,
    cancelled,
    zoneLabel: source.zoneLabel,
  };
}

function findCopy(calendar: StoredCalendar, uid: string): StoredEvent | undefined {
  return Object.values(calendar.events).find((event) => event.uid === uid && !event.isOrganizer);
}

function sendCopy(world: MicrosoftWorld, calendar: StoredCalendar, event: StoredEvent): void {
  const copy = findCopy(calendar, event.uid);
  if (!copy) {
    forgetDeclined(calendar, event.uid);
    recordCreated(world, calendar, {
      ...event,
      key: world.kernel.randomText(24),
      fields: copyFields(event.fields, null),
      isOrganizer: false,
      transactionId: null,
      createdAt: world.kernel.clock.now(),
      series: copySeries(world, event, null),
    });
    return;
  }
  const fields = copyFields(event.fields, copy.fields);
  const series = copySeries(world, event, copy.series);
  if (isSame(fields, copy.fields) && isSame(series, copy.series)) return;
  const isMaster = !isSame(fields, copy.fields) || !isSame(series?.recurrence, copy.series?.recurrence);
  copy.fields = fields;
  copy.series = series;
  copy.originalStartTimeZone = event.originalStartTimeZone;
  copy.originalEndTimeZone = event.originalEndTimeZone;
  if (isMaster) recordUpdated(world, calendar, copy);
  for (const [date, { seq }] of Object.entries(series?.exceptions ?? {})) {
    if (seq === 0) recordSlotChanged(world, calendar, copy, date, 'exception');
  }
}

function cancelCopy(world: MicrosoftWorld, calendar: StoredCalendar, uid: string): void {
  const copy = findCopy(calendar, uid);
  forgetDeclined(calendar, uid);
  if (!copy || copy.fields.isCancelled) return;
  copy.fields = { ...copy.fields, ...cancelledFields(copy.fields) };
  recordUpdated(world, calendar, copy);
}

/** Returns the calendars of addresses that have a mailbox here, without the organizer's. */
function calendarsOf(
  world: MicrosoftWorld,
  event: StoredEvent,
  addresses: Iterable<string>,
): [string, StoredCalendar][] {
  return [...new Set(addresses)].flatMap((address) => {
    const mailbox = findMailbox(world.state, address);
    if (!mailbox || address === event.organizer.address.toLowerCase()) return [];
    return [[address, defaultCalendarOf(world.state, mailbox)] as [string, StoredCalendar]];
  });
}

/** Updates the copies of all attendees from the organizer's event, and cancels those of people no longer invited. */
export function distributeMeeting(
  world: MicrosoftWorld,
  event: StoredEvent,
  previousAttendees: readonly StoredAttendee[],
): void {
  if (!event.isOrganizer) return;
  const invited = new Set(addressesOf(event.fields.attendees));
  for (const [address, calendar] of calendarsOf(world, event, [...invited, ...addressesOf(previousAttendees)])) {
    if (invited.has(address)) sendCopy(world, calendar, event);
    else cancelCopy(world, calendar, event.uid);
  }
}

/** Deletes an item; the organizer's deletion cancels it for all invited. */
export function deleteItem(world: MicrosoftWorld, calendar: StoredCalendar, item: Item): void {
  const { event, occurrence } = item;
  mailAttendees(world, event, fieldsOf(item), null);
  if (occurrence) {
    recordSlotChanged(world, calendar, event, occurrence.date, 'cancelled');
    distributeMeeting(world, event, event.fields.attendees);
    return;
  }
  recordDeleted(world, calendar, event);
  if (!event.isOrganizer) return;
  for (const [, theirs] of calendarsOf(world, event, addressesOf(event.fields.attendees))) {
    cancelCopy(world, theirs, event.uid);
  }
}

/** Writes fields to an item: to the event itself, or to the exception of its slot. */
export function writeFields(
  world: MicrosoftWorld,
  calendar: StoredCalendar,
  item: Item,
  changed: Partial<EventFields>,
): void {
  const { event, occurrence } = item;
  if (!occurrence) {
    event.fields = { ...event.fields, ...changed };
    recordUpdated(world, calendar, event);
    return;
  }
  const { exceptions } = seriesOf(event);
  const before = exceptions[occurrence.date];
  exceptions[occurrence.date] = {
    fields: { ...before?.fields, ...changed },
    changeKey: newChangeKey(world),
    modifiedAt: world.kernel.clock.now(),
    seq: 0,
  };
  recordSlotChanged(world, calendar, event, occurrence.date, 'exception');
}

type Answered = Pick<StoredAttendee, 'status' | 'proposedNewTime'>;

function answered(fields: EventFields, address: string, answer: Answered): StoredAttendee[] {
  return fields.attendees.map((attendee) =>
    attendee.emailAddress.address.toLowerCase() === address ? { ...attendee, ...answer } : attendee,
  );
}

/** Records an attendee's answer with the organizer, if the organizer's mailbox is here. */
function tellOrganizer(world: MicrosoftWorld, item: Item, address: string, answer: Answered): void {
  const organizer = findMailbox(world.state, item.event.organizer.address);
  for (const link of organizer?.calendarLinks ?? []) {
    const calendar = world.state.calendars[link.calendarKey];
    const event = Object.values(calendar?.events ?? {}).find(
      ({ uid, isOrganizer }) => uid === item.event.uid && isOrganizer,
    );
    if (!calendar || !event || link.role !== 'owner') continue;
    const date = item.occurrence?.date;
    const slot = date === undefined ? null : (seriesOf(event).exceptions[date]?.fields ?? null);
    const fields = { ...event.fields, ...slot };
    const attendees = answered(fields, address, answer);
    if (date === undefined) writeFields(world, calendar, { event, occurrence: null }, { attendees });
    else if (!seriesOf(event).cancelled[date]) writeSlotAttendees(world, calendar, event, date, attendees);
    return;
  }
}

function writeSlotAttendees(
  world: MicrosoftWorld,
  calendar: StoredCalendar,
  event: StoredEvent,
  date: string,
  attendees: readonly StoredAttendee[],
): void {
  const { exceptions } = seriesOf(event);
  exceptions[date] = {
    fields: { ...exceptions[date]?.fields, attendees },
    changeKey: newChangeKey(world),
    modifiedAt: world.kernel.clock.now(),
    seq: 0,
  };
  recordSlotChanged(world, calendar, event, date, 'exception');
}

/** Moves a declined event to the deleted items; a single slot of a series is deleted for good. */
function putAway(world: MicrosoftWorld, calendar: StoredCalendar, item: Item): void {
  deleteItem(world, calendar, item);
  if (item.occurrence === null) calendar.declined = { ...calendar.declined, [item.event.key]: item.event };
}

/** Deletes a declined event for good, once the organizer has sent it again or cancelled it. */
function forgetDeclined(calendar: StoredCalendar, uid: string): void {
  for (const event of Object.values(calendar.declined ?? {})) {
    if (event.uid === uid) delete calendar.declined?.[event.key];
  }
}

export type Answer = 'accepted' | 'tentativelyAccepted' | 'declined';

/** Parameters of an answer to an invitation. */
interface AnswerOptions {
  readonly comment?: string | null | undefined;
  readonly sendResponse?: boolean | null | undefined;
  readonly proposedNewTime?: StoredTimeSlot | undefined;
}

/**
 * Answers an invitation. A declined event leaves the calendar; the organizer learns of the answer when it is sent.
 * @throws GraphError 400 for the organizer, an unrequested response, or a comment that would not be sent
 */
export function respond(
  world: MicrosoftWorld,
  calendar: StoredCalendar,
  item: Item,
  answer: Answer,
  options: AnswerOptions,
): void {
  const fields = fieldsOf(item);
  const isSent = options.sendResponse !== false;
  if (item.event.isOrganizer) {
    throw invalidRequest(
      "Your request can't be completed. You can't respond to this meeting because you're the meeting organizer.",
    );
  }
  if (!fields.responseRequested && isSent) {
    throw invalidRequest("Your request can't be completed. The meeting organizer hasn't requested a response.");
  }
  if (!isSent && (options.comment || options.proposedNewTime)) {
    throw invalidRequest('A comment or a proposed new time needs SendResponse to be true.');
  }
  if (options.proposedNewTime && !fields.allowNewTimeProposals) {
    throw invalidRequest('The organizer does not allow proposals of a new time.');
  }
  const status: ResponseStatus = { response: answer, at: world.kernel.clock.now() };
  const address = calendar.ownerEmail;
  const isPutAway = item.occurrence === null && calendar.events[item.event.key] === undefined;
  if (answer === 'declined') {
    if (!isPutAway) putAway(world, calendar, item);
  } else {
    if (isPutAway) recordRestored(world, calendar, item.event);
    writeFields(world, calendar, item, {
      responseStatus: status,
      showAs: SHOWN_AS[answer] ?? fields.showAs,
      attendees: answered(fields, address, { status }),
    });
  }
  if (!isSent) return;
  mailOrganizer(world, item.event, address);
  tellOrganizer(world, item, address, { status, proposedNewTime: options.proposedNewTime });
}
