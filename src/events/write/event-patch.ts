import { invalid, KalendsError } from '../../errors.ts';
import { canonicalJson } from '../../mirror/index.ts';
import {
  type CalendarEvent,
  DERIVED_EVENT_FIELDS,
  type EventCreate,
  type EventUpdate,
  EXTENSION_FIELDS,
  eventCreate,
  eventUpdate,
  MAX_EXTENDED_PROPERTIES,
  parseInput,
  type ResponseStatus,
  requireSafeShape,
} from '../../model/index.ts';
import {
  type Availability,
  DEFAULT_AVAILABILITY,
  type EventContent,
  type EventPatch,
  type NewEvent,
} from '../../ports/index.ts';
import { writtenLines } from '../../recurrence/index.ts';
import { instantOfText } from '../../zones/index.ts';
import { resolveTimes } from '../times/event-times.ts';
import { withoutDisplayZone } from './display-zone.ts';
import { type AttendeesRequest, readAttendees, readNewAttendees } from './input-attendees.ts';
import { requireMovable, requireRecurrence } from './input-recurrence.ts';

/** Changes that a body asks of an existing event. */
export interface EventUpdateRequest {
  readonly patch: EventPatch;
  /** Set when the account's own answer is to change. */
  readonly response: ResponseStatus | undefined;
  /** Comment of the answer. */
  readonly comment?: string | null | undefined;
}

const DIRECT = [
  'title',
  'description',
  'publicExtendedProperties',
  'privateExtendedProperties',
  'colorId',
  'customColor',
  'visibility',
  'location',
  'conferenceData',
  'transparency',
  'eventType',
  'reminders',
  'generateMeetingUrlProvider',
  ...EXTENSION_FIELDS,
] as const;

/** Unchanged fields that are sent along all the same: the mirror may not know yet that the provider has another value. */
const REPEATED = ['title', 'location', 'visibility', 'transparency'] as const;

/** How the body of an update is read. */
interface UpdateOptions {
  readonly isOccurrence: boolean;
  readonly isOrganizer: boolean;
  readonly calendarZone: string;
  /** The mailbox's own address. */
  readonly ownEmail: string;
  /** The body names one record and is written to others: what it repeats is of that record alone. @default false */
  readonly isForOthers?: boolean;
}

/** Reads the body of a new event. @throws KalendsError InvalidRequest, UnsupportedByProvider */
export function readNewEvent(body: unknown, calendarZone: string, ownEmail: string): NewEvent {
  const input = parseInput(eventCreate, body);
  checkNewDerived(input);
  checkShowAs(input);
  const lines = hasLines(input.recurrence) ? input.recurrence : undefined;
  const times = resolveTimes(input, undefined, calendarZone, lines !== undefined);
  return {
    ...directFields(input),
    ...times,
    ...(input.attendees === undefined ? {} : { attendees: readNewAttendees(input.attendees, ownEmail) }),
    ...(lines === undefined ? {} : { recurrence: requireRecurrence(lines, times, calendarZone) }),
  };
}

/**
 * Returns whether a body's recurrence makes a series: null and an empty list say that there is none.
 * @throws KalendsError InvalidRequest where no line has a value: a form with an empty field must not end a series
 */
function hasLines(recurrence: readonly string[] | null | undefined): recurrence is readonly string[] {
  if (recurrence === undefined || recurrence === null || recurrence.length === 0) return false;
  if (writtenLines(recurrence).length > 0) return true;
  throw invalid('recurrence', 'must have a line with a value; null or [] says that there is no recurrence');
}

/** Values of derived fields that say what a new event is anyway. */
function checkNewDerived(input: EventCreate): void {
  const isRecurring = hasLines(input.recurrence);
  const expected = { isRecurring, isException: false, recurringEventId: undefined, originalStart: undefined };
  for (const [field, value] of Object.entries(expected)) {
    const given = input[field as keyof typeof expected];
    if (given !== undefined && given !== null && given !== value) throw underivable(field);
  }
  if (input.isCancelled === true) throw invalid('isCancelled', 'must not be true for a new event');
  // The creator of an event is its organizer, who has accepted it.
  const { myResponseStatus: response } = input;
  if (response === 'declined' || response === 'tentative') throw underivable('myResponseStatus');
}

/**
 * Reads the body of an update against the event as it is shown and stored. What a client sends back as it read it is no
 * change, and is not held to rules that changes are held to.
 * @throws KalendsError InvalidRequest, UnsupportedByProvider, Forbidden
 */
export function readEventUpdate(
  body: unknown,
  shown: CalendarEvent,
  current: EventContent,
  options: UpdateOptions,
): EventUpdateRequest {
  requireSafeShape(body);
  const { changed, repeated } = splitBody(body, shown);
  const input = parseInput(eventUpdate, changed);
  checkDerived(input, shown);
  requireCancelAlone(input);
  checkShowAs(input);
  checkProperties(input, current);
  // It is written by what the new state says.
  if (input.showAs !== undefined) delete repeated.transparency;
  const times = timesPatch(input, current, options);
  const recurrence = recurrencePatch(input, current, times, options);
  const list = input.attendees;
  const { attendees, own } = list === undefined ? NO_LIST : readAttendees(list, shown.attendees, options.ownEmail);
  const patch: EventPatch = {
    // For another organizer's event the provider refuses main fields, even unchanged ones.
    ...(options.isOrganizer && options.isForOthers !== true ? repeated : {}),
    ...directFields(input),
    ...times,
    ...recurrence,
    ...(attendees === undefined ? {} : { attendees }),
    ...(input.isCancelled === undefined ? {} : { isCancelled: input.isCancelled }),
  };
  const given = input.myResponseStatus;
  if (own !== undefined && given !== undefined && own.response !== given) {
    throw invalid(own.path, 'must not contradict myResponseStatus');
  }
  // A calendar that is shared holds its owner's invitation, and an answer would be theirs.
  if (own !== undefined && !options.isOrganizer && own.present !== shown.myResponseStatus) {
    throw new KalendsError('Forbidden', `${own.path}: the calendar does not hold the account's own invitation`);
  }
  return {
    patch,
    response: responseOf({ myResponseStatus: given === undefined ? own?.response : given }, shown, options.isOrganizer),
  };
}

const NO_LIST: AttendeesRequest = { attendees: undefined, own: undefined };

/**
 * The answer that a body gives for the account; undefined when it is none, or the present one.
 * @throws KalendsError Forbidden for the organizer and for who is not invited, before anything else is changed
 */
function responseOf(
  { myResponseStatus }: Pick<EventUpdate, 'myResponseStatus'>,
  shown: CalendarEvent,
  isOrganizer: boolean,
): EventUpdateRequest['response'] {
  const present = shown.myResponseStatus;
  if (myResponseStatus === undefined || myResponseStatus === present) return undefined;
  if (myResponseStatus === null && (present === undefined || present === 'needsAction')) return undefined;
  requireInvited(shown, isOrganizer, 'myResponseStatus');
  return myResponseStatus ?? 'needsAction';
}

/** @throws KalendsError Forbidden, naming the field of the answer, for the organizer and for who is not invited */
export function requireInvited(
  { organizer, myResponseStatus }: Pick<CalendarEvent, 'organizer' | 'myResponseStatus'>,
  isOrganizer: boolean,
  field: string,
): void {
  // Who writes for the calendar's owner may be a guest of theirs.
  if (isOrganizer && organizer?.isSelf !== false) {
    throw new KalendsError('Forbidden', `${field}: the organizer does not answer`);
  }
  if (myResponseStatus === undefined) throw new KalendsError('Forbidden', `${field}: the account is not invited`);
}

/** Parts a body into what differs from the event as shown and the unchanged fields that are repeated. */
function splitBody(
  body: unknown,
  shown: CalendarEvent,
): { readonly changed: unknown; readonly repeated: Partial<Pick<CalendarEvent, (typeof REPEATED)[number]>> } {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return { changed: body, repeated: {} };
  const record: Readonly<Record<string, unknown>> = { ...shown };
  const isShown = ([field, value]: [string, unknown]) =>
    Object.hasOwn(record, field)
      ? canonicalJson(value) === canonicalJson(record[field])
      : value === null && Object.hasOwn(OPTIONAL, field);
  const entries = Object.entries(withoutDisplayZone(body as Readonly<Record<string, unknown>>, shown));
  const same = new Set(entries.filter(isShown).map(([field]) => field));
  // It says how the new times are meant, and must not contradict them.
  if (entries.some(([field]) => (field === 'start' || field === 'end') && !same.has(field))) same.delete('isAllDay');
  const changed = Object.fromEntries(entries.filter(([field]) => !same.has(field)));
  const repeated = Object.fromEntries(
    REPEATED.filter((field) => same.has(field)).map((field) => [field, shown[field]]),
  );
  return { changed, repeated };
}

/** Fields that an event may not have: null says the same as absence. */
const OPTIONAL = {
  originalStart: true,
  recurringEventId: true,
  colorId: true,
  customColor: true,
  myResponseStatus: true,
  conferenceData: true,
  organizer: true,
  creator: true,
  generateMeetingUrlProvider: true,
  locationDetails: true,
  guestsCanModify: true,
  guestsCanInviteOthers: true,
  allowNewTimeProposals: true,
  providerEventType: true,
};

/** The fields that each state implies. */
const IMPLIED = {
  free: { transparency: 'transparent' },
  oof: { transparency: 'opaque', eventType: 'outOfOffice' },
  tentative: { transparency: 'opaque', status: 'tentative' },
  busy: { transparency: 'opaque', status: 'confirmed' },
  workingElsewhere: { transparency: 'opaque', status: 'confirmed', eventType: 'default' },
} as const satisfies Record<NonNullable<EventCreate['showAs']>, Partial<Availability>>;

/** @throws KalendsError InvalidRequest for a state that contradicts the fields that it consists of */
function checkShowAs(input: EventCreate | EventUpdate): void {
  const { showAs } = input;
  if (showAs === undefined || showAs === null) return;
  const implied: Partial<Availability> = IMPLIED[showAs];
  for (const field of ['transparency', 'status', 'eventType'] as const) {
    const given = input[field];
    if (given === undefined) continue;
    const wanted = given ?? DEFAULT_AVAILABILITY[field];
    const isAway = field === 'eventType' && wanted === 'outOfOffice' && showAs !== 'oof' && showAs !== 'free';
    if (isAway || (implied[field] !== undefined && implied[field] !== wanted)) {
      throw invalid('showAs', `must not contradict ${field}`);
    }
  }
}

const PROPERTIES = ['publicExtendedProperties', 'privateExtendedProperties'] as const;

/**
 * Checks the number of extended properties after the merge. An event that has more from its provider may keep them.
 * @throws KalendsError InvalidRequest
 */
function checkProperties(input: EventUpdate, current: EventContent): void {
  for (const field of PROPERTIES) {
    const before = Object.keys(current[field]).length;
    const after = Object.values({ ...current[field], ...input[field] }).filter((value) => value !== null).length;
    if (after > before && after > MAX_EXTENDED_PROPERTIES) {
      throw invalid(field, `must have at most ${MAX_EXTENDED_PROPERTIES} properties, with those that the event has`);
    }
  }
}

function checkDerived(input: EventUpdate, shown: CalendarEvent): void {
  const { recurrence } = input;
  for (const field of DERIVED_EVENT_FIELDS) {
    const given = input[field];
    if (given === undefined || (field === 'originalStart' && isSameSlot(given, shown.originalStart))) continue;
    if (field === 'isRecurring' && recurrence !== undefined && given === hasLines(recurrence)) continue;
    throw underivable(field);
  }
}

/** The providers forget what else is said of an event that goes. */
function requireCancelAlone({ isCancelled, ...others }: EventUpdate): void {
  const other = Object.keys(others)[0];
  if (isCancelled === true && other !== undefined) {
    throw invalid(other, 'must not be changed together with isCancelled: true');
  }
}

/** An original start that was read in another display zone is the same slot. */
function isSameSlot(given: unknown, shown: CalendarEvent['originalStart']): boolean {
  if (shown === undefined || !('dateTime' in shown) || given === null || typeof given !== 'object') return false;
  const { dateTime, timeZone } = given as Readonly<Record<string, unknown>>;
  if (typeof dateTime !== 'string' || (timeZone !== undefined && typeof timeZone !== 'string')) return false;
  return instantOfText(dateTime, shown.timeZone) === instantOfText(shown.dateTime, shown.timeZone);
}

function timesPatch(
  { start, end, isAllDay, recurrence }: EventUpdate,
  current: EventContent,
  { calendarZone, isOccurrence, isForOthers = false }: UpdateOptions,
) {
  if (start === undefined && end === undefined && isAllDay === undefined) return undefined;
  const isOfSeries = current.recurrence !== null || isForOthers;
  const isSeries = !isOccurrence && (recurrence === undefined ? isOfSeries : hasLines(recurrence));
  return resolveTimes({ start, end, isAllDay }, current, calendarZone, isSeries);
}

function recurrencePatch(
  { recurrence }: EventUpdate,
  current: EventContent,
  times: ReturnType<typeof timesPatch>,
  { isOccurrence, calendarZone }: UpdateOptions,
): Pick<EventPatch, 'recurrence'> {
  if (recurrence === undefined) {
    if (times !== undefined && current.recurrence !== null && !isOccurrence) requireMovable(current, times);
    return {};
  }
  if (!hasLines(recurrence)) return isOccurrence ? {} : { recurrence: null };
  if (isOccurrence) throw invalid('recurrence', 'must be null for an occurrence: change its series instead');
  return { recurrence: requireRecurrence(recurrence, times ?? current, calendarZone) };
}

function directFields(input: EventCreate | EventUpdate): EventPatch {
  return Object.fromEntries(DIRECT.filter((field) => input[field] !== undefined).map((field) => [field, input[field]]));
}

function underivable(field: string): KalendsError {
  const message = 'is derived and cannot be set to another value: leave it out';
  return new KalendsError('UnsupportedByProvider', `${field}: ${message}`, { details: [{ path: field, message }] });
}
