import { invalid } from '../../errors.ts';
import type { EventContent, EventPatch } from '../../ports/index.ts';
import {
  compileSeries,
  occurrenceEnd,
  RecurrenceError,
  type SeriesDefinition,
  seriesLength,
} from '../../recurrence/index.ts';
import { type SeriesStart, shiftedStart, shiftSeries } from '../../recurrence/moves.ts';
import {
  formatInstant,
  formatWall,
  instantOf,
  instantOfText,
  nominalWallOf,
  resolveZone,
  wallAt,
  wallOfText,
} from '../../zones/index.ts';
import type { EventTimes } from '../times/event-times.ts';
import { dtstartOf, requireMovable, requirePlainStart, requireRecurrence } from '../write/input-recurrence.ts';

/** Fields that determine the slots of a series. */
export type SeriesShape = Pick<EventContent, 'start' | 'end' | 'isAllDay' | 'recurrence'>;

/**
 * The shape of a series when the times of one of its occurrences are changed from what the series says to `patch`, for all of
 * it: the series moves by the difference of the wall times, and takes the length, the zone and the kind. `first` is the
 * series' own first occurrence (dtstart), `slot` the occurrence that is changed, both before the patch.
 * Times that are sent as they are shown at the first occurrence stay as the series has them, though the clocks skip them there.
 * @throws KalendsError InvalidRequest naming `start` when the rule does not produce the new start, `start` or `end` when the
 * clocks skip it on the first day, or `recurrence`
 */
export function reshaped(first: SeriesShape, slot: SeriesShape, patch: EventPatch): SeriesShape {
  const { start, end } = patch;
  const times =
    start === undefined || end === undefined ? timesOf(first) : movedTimes(first, slot, { ...patch, start, end });
  if (patch.recurrence !== undefined) {
    const recurrence = patch.recurrence === null ? null : [...requireRecurrence(patch.recurrence, times)];
    return { ...times, recurrence };
  }
  const recurrence = [...shiftedLines(first, times)];
  if (start !== undefined) {
    const sent = { start, isAllDay: times.isAllDay };
    requirePlainStart(sent);
    requireSlot({ ...times, recurrence }, sent);
  }
  return { ...times, recurrence };
}

/**
 * The shape of a series when its own start is set: the rule stays as it is, but for what says the time of day; so an UNTIL
 * lets as many occurrences through as before.
 * @throws KalendsError InvalidRequest as above
 */
export function restarted(first: SeriesShape, { start, end, isAllDay, recurrence }: EventPatch): SeriesShape {
  const times =
    start === undefined || end === undefined ? timesOf(first) : { start, end, isAllDay: isAllDay ?? first.isAllDay };
  if (recurrence !== undefined) return { ...times, recurrence: recurrence === null ? null : [...recurrence] };
  const to = dtstartOf(times);
  const dtstart = dtstartOf(first).dtstart.slice(0, 10) + to.dtstart.slice(10);
  return { ...times, recurrence: [...shiftedLines(first, times, { ...to, dtstart })] };
}

function timesOf({ start, end, isAllDay }: SeriesShape): EventTimes {
  return { start, end, isAllDay };
}

function movedTimes(
  first: SeriesShape,
  slot: SeriesShape,
  patch: Pick<EventTimes, 'start' | 'end'> & { readonly isAllDay?: boolean },
): EventTimes {
  const isAllDay = patch.isAllDay ?? slot.isAllDay;
  const to = { ...patch, isAllDay };
  // Where the clocks change, one occurrence may look longer or shorter than its series is.
  const isLengthKept = lengthOf(to) === lengthOf(slot);
  if (isSamePoint(first.start, slot.start) && !(isLengthKept && lengthOf(slot) !== lengthOf(first))) {
    const meant = (field: 'start' | 'end') => (isSamePoint(to[field], slot[field]) ? first[field] : to[field]);
    return isAllDay ? to : { start: meant('start'), end: meant('end'), isAllDay };
  }
  const startWall = readable(() => shiftedStart(definitionOf(first), wallOf(slot), wallOf(to)));
  if (isAllDay) {
    const days = wallOfText(to.end.dateTime) - wallOfText(to.start.dateTime);
    const point = (ms: number) => ({ dateTime: formatWall(ms), timeZone: '' });
    return { start: point(startWall), end: point(startWall + days), isAllDay };
  }
  const zone = resolveZone(to.start.timeZone) ?? 'UTC';
  const lengthMs = lengthOf(isLengthKept ? first : to);
  const startMs = instantOf(zone, startWall);
  const point = (field: 'start' | 'end', ms: number, wallMs: number) => {
    const { timeZone } = to[field];
    if (wallAt(zone, ms) === wallMs) return { dateTime: formatInstant(resolveZone(timeZone) ?? 'UTC', ms), timeZone };
    const { dateTime } = first[field];
    if (!first.isAllDay && nominalWallOf(zone, dateTime) === wallMs) return { dateTime, timeZone };
    throw invalid(field, `the clocks skip ${formatWall(wallMs)} (${zone}), where the series would ${field}`);
  };
  return {
    start: point('start', startMs, startWall),
    end: point('end', occurrenceEnd(zone, startMs, lengthMs), wallAt(zone, startMs) + lengthMs),
    isAllDay,
  };
}

function isSamePoint(a: SeriesShape['start'], b: SeriesShape['start']): boolean {
  const zone = resolveZone(a.timeZone) ?? 'UTC';
  return a.timeZone === b.timeZone && instantOfText(a.dateTime, zone) === instantOfText(b.dateTime, zone);
}

/** How long a timed shape lasts by the clocks of its zone; all-day ones count whole days. */
export function lengthOf({ start, end, isAllDay }: Pick<SeriesShape, 'start' | 'end' | 'isAllDay'>): number {
  if (isAllDay) return wallOfText(end.dateTime) - wallOfText(start.dateTime);
  return seriesLength(resolveZone(start.timeZone) ?? 'UTC', { start, end });
}

/** The wall time of a start in its own zone. */
function wallOf({ start, isAllDay }: Pick<SeriesShape, 'start' | 'isAllDay'>): number {
  if (isAllDay) return wallOfText(start.dateTime);
  return nominalWallOf(resolveZone(start.timeZone) ?? 'UTC', start.dateTime);
}

function shiftedLines(first: SeriesShape, times: EventTimes, to: SeriesStart = dtstartOf(times)): readonly string[] {
  const shifted = readable(() => shiftSeries(definitionOf(first), to));
  requireMovable(first, times, shifted);
  return shifted;
}

/** A series that moves by one of its occurrences has to have it where it was sent. */
function requireSlot(
  moved: Pick<SeriesShape, 'start' | 'isAllDay' | 'recurrence'>,
  sent: Pick<SeriesShape, 'start' | 'isAllDay'>,
): void {
  if (isSamePoint(moved.start, sent.start)) return;
  if (readable(() => compileSeries(definitionOf(moved)).keyOf(wallOf(sent))) !== undefined) return;
  const date = formatWall(wallOf(sent)).slice(0, 10);
  throw invalid(
    'start',
    `the series cannot move so that it has an occurrence on ${date}: send recurrence too, with the id of the series`,
  );
}

function definitionOf(shape: Pick<SeriesShape, 'start' | 'isAllDay' | 'recurrence'>): SeriesDefinition {
  return { ...dtstartOf(shape), lines: shape.recurrence ?? [] };
}

function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof RecurrenceError ? invalid('recurrence', error.message) : error;
  }
}
