import { type RecurrenceId, readObject, unreadableField } from '../../ports/index.ts';
import { recurrenceIdText } from '../../recurrence/index.ts';
import { createIcsZones } from '../../zones/index.ts';
import { ICalendarError } from '../icalendar-error.ts';
import { type IcsComponent, propertyOf, textOf, wordOf } from '../text/component.ts';
import { readComponentsInSteps } from '../text/read-components.ts';
import { allAtOnce, type Steps } from '../text/steps.ts';
import { FOLLOWING_CUT, isOfFollowing, readFollowing } from './following-changes.ts';
import { readDuration } from './ics-times.ts';
import { hasOtherEvents, isOlder, latest } from './latest-version.ts';
import { type EventContext, type IcsEvent, type ReadOptions, readException } from './read-event.ts';
import { type MasterReading, readMasterInSteps } from './read-master.ts';
import { type ComponentStart, readSlot, startOf } from './read-times.ts';
import { uidOf } from './uid-of.ts';

/** The events of one UID. */
export interface IcsGroup {
  readonly uid: string;
  /** A single event or a series master; undefined where the text has exceptions alone, or where it cannot be read. */
  readonly master: IcsEvent | undefined;
  /** By slot, each slot once; those of a series that is not in the text too. */
  readonly exceptions: readonly IcsEvent[];
  /** Components that cannot be read. `isMaster` tells whether it is the series itself; `recurrenceId` is an exception's, where that can be read. */
  readonly unreadable: readonly {
    readonly isMaster: boolean;
    readonly recurrenceId: RecurrenceId | null;
    readonly reason: string;
  }[];
}

/** One calendar of a text. */
export interface IcsCalendarReading {
  /** X-WR-CALNAME, else NAME; empty without one. */
  readonly name: string;
  /** IANA name: as given to the reading, else as the calendar says. */
  readonly timeZone: string;
  /** METHOD in upper case, such as `PUBLISH` or `REQUEST`; empty without one. */
  readonly method: string;
  /** Interval between two readings that the publisher asks for (REFRESH-INTERVAL, else X-PUBLISHED-TTL), in milliseconds; 0 without one. */
  readonly refreshMs: number;
  /** In the order in which their UIDs first appear. */
  readonly groups: readonly IcsGroup[];
  /** Lines and zone names that were passed over: rules, never values. */
  readonly problems: readonly string[];
}

/**
 * Reads the events of an iCalendar text (RFC 5545), as real programs write it: any zone name ends as an IANA zone, a missing end is worked
 * out, and of several versions of one component the one with the highest SEQUENCE and then DTSTAMP counts. What cannot be read costs itself
 * alone. Tasks, journals and free/busy components are passed over.
 * @throws ICalendarError for a text without VCALENDAR, or one that is nested too deep or too long in one component
 */
export function readCalendars(text: string, options: ReadOptions = {}): readonly IcsCalendarReading[] {
  return allAtOnce(readCalendarsInSteps(text, options));
}

/**
 * Reads the same in steps, for texts that would hold up the event loop.
 * @throws ICalendarError as `readCalendars` does
 * @example
 * const steps = readCalendarsInSteps('BEGIN:VCALENDAR\nEND:VCALENDAR');
 * const [calendar] = await runInTurns(steps);
 */
export function* readCalendarsInSteps(text: string, options: ReadOptions = {}): Steps<readonly IcsCalendarReading[]> {
  const { components, problems } = yield* readComponentsInSteps(text);
  const calendars = components.filter(({ name }) => name === 'VCALENDAR');
  if (calendars.length === 0) throw new ICalendarError('BEGIN', 'the text has no VCALENDAR');
  const readings: IcsCalendarReading[] = [];
  for (const calendar of calendars) {
    readings.push(yield* readCalendarInSteps(calendar, options, readings.length === 0 ? problems : []));
  }
  return readings;
}

/** Maps one VCALENDAR component. */
export function readCalendar(calendar: IcsComponent, options: ReadOptions = {}): IcsCalendarReading {
  return allAtOnce(readCalendarInSteps(calendar, options, []));
}

function* readCalendarInSteps(
  calendar: IcsComponent,
  options: ReadOptions,
  lineProblems: readonly string[],
): Steps<IcsCalendarReading> {
  const problems = [...lineProblems];
  const context = contextOf(calendar, options, (problem) => problems.push(problem));
  const groups: IcsGroup[] = [];
  for (const [uid, components] of yield* groupByUid(calendar)) {
    groups.push(yield* readGroup(uid, components, context));
  }
  return {
    name: textOf(calendar, 'x-wr-calname') || textOf(calendar, 'name'),
    timeZone: context.zones.calendarZone,
    method: textOf(calendar, 'method').trim().toUpperCase(),
    refreshMs: readDuration(wordOf(calendar, 'refresh-interval') || wordOf(calendar, 'x-published-ttl')) ?? 0,
    groups,
    problems,
  };
}

function* groupByUid(calendar: IcsComponent): Steps<ReadonlyMap<string, readonly IcsComponent[]>> {
  const byUid = new Map<string, IcsComponent[]>();
  for (const component of calendar.components) {
    if (component.name !== 'VEVENT') continue;
    const uid = uidOf(component);
    const known = byUid.get(uid);
    if (known === undefined) byUid.set(uid, [component]);
    else known.push(component);
    yield;
  }
  return byUid;
}

/** Returns the context in which the components of a calendar are mapped. */
export function contextOf(
  calendar: IcsComponent,
  options: ReadOptions,
  report: (problem: string) => void,
): EventContext {
  return {
    zones: createIcsZones(calendar, report, options.calendarZone),
    self: (options.self ?? []).map((address) => address.toLowerCase()),
    owner: options.owner?.toLowerCase(),
    ignoresStamps: options.ignoresStamps ?? false,
  };
}

function* readGroup(uid: string, components: readonly IcsComponent[], context: EventContext): Steps<IcsGroup> {
  const about = { providerEventId: uid, seriesId: null };
  const unreadable: IcsGroup['unreadable'][number][] = [];
  const read = <Result>(slotOf: (() => RecurrenceId) | null, reading: () => Result): Result | undefined => {
    const outcome = readObject(about, () => ({ value: reading() }));
    if (!('kind' in outcome)) return outcome.value;
    const slot = slotOf === null ? undefined : readObject(about, () => ({ recurrenceId: slotOf() }));
    const recurrenceId = slot === undefined || 'reason' in slot ? null : slot.recurrenceId;
    unreadable.push({ isMaster: slotOf === null, recurrenceId, reason: outcome.reason });
    return undefined;
  };
  const overrides = components.filter((component) => propertyOf(component, 'recurrence-id') !== undefined);
  const versions = components.filter((component) => propertyOf(component, 'recurrence-id') === undefined);
  const main = latest(versions);
  const master =
    main === undefined
      ? undefined
      : read(null, yield* outcomeOf(readMasterInSteps(main, overrides.length > 0, context)));
  yield;
  const bySlot = yield* readExceptions(overrides, master, (component, series) =>
    read(
      () => readSlot(component, series ?? startOf(component, context.zones), context.zones),
      () => readException(component, series ?? startAlone(component, context), context),
    ),
  );
  const faults = main !== undefined && hasOtherEvents(versions, main, context.zones) ? [OTHER_EVENTS] : [];
  if (master !== undefined) faults.push(...addFollowing(bySlot, master, unreadable));
  const event = master && { ...master.event, unreadableParts: [...master.event.unreadableParts, ...faults] };
  return { uid, master: event, exceptions: [...bySlot.values()].map(({ event: exception }) => exception), unreadable };
}

const OTHER_EVENTS = 'UID: is that of several events; one was taken';

/** Returns what hands over the result of the steps, or throws their error. */
function* outcomeOf<Result>(steps: Steps<Result>): Steps<() => Result> {
  try {
    const result = yield* steps;
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Start of an exception whose series is not in the text. @throws ProviderError unreadable for one that needs it */
function startAlone(component: IcsComponent, { zones }: EventContext): ComponentStart {
  if (isOfFollowing(component)) {
    throw unreadableField('RECURRENCE-ID', 'RANGE=THISANDFUTURE needs the series that it belongs to');
  }
  return startOf(component, zones);
}

/** Adds what changes of this and following occurrences say of the following ones. Returns what is left out. */
function addFollowing(
  bySlot: Map<string, SlotReading>,
  master: MasterReading,
  unreadable: IcsGroup['unreadable'],
): readonly string[] {
  const changes = [...bySlot.values()].filter(({ component }) => component !== undefined && isOfFollowing(component));
  if (changes.length === 0) return [];
  const unread = new Set(unreadable.flatMap(({ recurrenceId }) => recurrenceId ?? []).map(recurrenceIdText));
  const { exceptions, isCut } = readFollowing(
    changes.map(({ event }) => event),
    master,
  );
  for (const event of exceptions) {
    const key = event.recurrenceId === null ? '' : recurrenceIdText(event.recurrenceId);
    if (!bySlot.has(key) && !unread.has(key)) bySlot.set(key, { event, component: undefined });
  }
  return isCut ? [FOLLOWING_CUT] : [];
}

/** A slot as a text has it, with the component that says so. */
interface SlotReading {
  readonly event: IcsEvent;
  readonly component: IcsComponent | undefined;
}

function* readExceptions(
  components: readonly IcsComponent[],
  master: MasterReading | undefined,
  read: (component: IcsComponent, series: ComponentStart | undefined) => IcsEvent | undefined,
): Steps<Map<string, SlotReading>> {
  const bySlot = new Map<string, SlotReading>();
  for (const slot of master?.cancelled ?? []) {
    bySlot.set(recurrenceIdText(slot), { event: cancelledSlot(master, slot), component: undefined });
  }
  for (const component of components) {
    const event = read(component, master?.start);
    if (event?.recurrenceId == null) continue;
    const key = recurrenceIdText(event.recurrenceId);
    const other = bySlot.get(key);
    if (other?.component === undefined ? other === undefined : !isOlder(component, other.component)) {
      bySlot.set(key, { event, component });
    }
    yield;
  }
  return bySlot;
}

function cancelledSlot(master: MasterReading | undefined, slot: RecurrenceId): IcsEvent {
  return {
    uid: master?.event.uid ?? '',
    recurrenceId: slot,
    isCancelled: true,
    content: null,
    sequence: master?.event.sequence ?? 0,
    isOrganizer: master?.event.isOrganizer ?? false,
    unreadableParts: [],
  };
}
