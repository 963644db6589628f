import { leastSpanMs, type MasterSeries } from '../../mirror/index.ts';
import { type Occurrence, RecurrenceLimit } from '../../recurrence/index.ts';
import { DAY_MS, offsetAt, wallAt } from '../../zones/index.ts';
import type { EventFilters } from './event-filters.ts';

/** More occurrences than this of one dense series are in no answer: hourly ones never reach it. */
const DENSE_CAP = 50_000;

/** Half-open bounds on starts, in the unit of the series. */
interface StartBounds {
  readonly from: number;
  readonly to: number;
}

/**
 * The slots of a series that may satisfy a window, ascending, from `after` on; some at the edges do not. What the window rules
 * out by the length of an occurrence is not worked out: RDATEs with a length of their own are looked up one by one there.
 * A series whose exception rules remove hundreds of thousands of slots in a row ends before them.
 */
export function* windowSlots(
  master: MasterSeries,
  filters: EventFilters,
  calendarZone: string,
  after = Number.NEGATIVE_INFINITY,
): Generator<Occurrence, void, undefined> {
  try {
    yield* slotsWithin(master, filters, calendarZone, after);
  } catch (error) {
    if (!(error instanceof RecurrenceLimit)) throw error;
  }
}

function* slotsWithin(
  master: MasterSeries,
  filters: EventFilters,
  calendarZone: string,
  after: number,
): Generator<Occurrence, void, undefined> {
  const { durationMs, periods } = master;
  const lengths = [durationMs, ...periods.map((period) => period.durationMs)];
  const within = (shortestMs: number, longestMs: number) => {
    const { from, to } = startBounds(master, filters, calendarZone, shortestMs, longestMs);
    return { from: Math.max(from, after), to };
  };
  const all = periods.length === 0 ? undefined : within(Math.min(...lengths), Math.max(...lengths));
  const usual = within(durationMs, durationMs);
  if (usual.from >= usual.to) {
    if (all !== undefined) yield* periodSlots(master, all);
    return;
  }
  if (all !== undefined) yield* periodSlots(master, { from: all.from, to: usual.from });
  yield* cappedSlots(master, usual, filters, calendarZone);
  if (all !== undefined) yield* periodSlots(master, { from: usual.to, to: all.to });
}

function* periodSlots({ series, periods }: MasterSeries, { from, to }: StartBounds): Generator<Occurrence> {
  for (const { startMs } of periods) {
    const slot = startMs >= from && startMs < to ? series.slotAt(startMs) : undefined;
    if (slot !== undefined) yield slot;
  }
}

/**
 * The slots within the bounds, without those that the cap cuts off. It counts from the window's start, so that every page and
 * revision agrees; nothing is counted before it can have been reached.
 */
function* cappedSlots(
  master: MasterSeries,
  bounds: StartBounds,
  { starts: _, ...window }: EventFilters,
  calendarZone: string,
): Generator<Occurrence> {
  const { series, durationMs, isDense } = master;
  if (!isDense) return yield* series.iterate(bounds);
  const whole = startBounds(master, window, calendarZone, durationMs, durationMs);
  const start = Number.isFinite(whole.from) ? whole.from : (series.first()?.startMs ?? whole.to);
  const uncut = Math.min(bounds.to, Math.max(bounds.from, start + leastSpanMs(master, DENSE_CAP)));
  yield* series.iterate({ from: bounds.from, to: uncut });
  if (uncut === bounds.to) return;
  const counted = series.occurrences({ ...whole, limit: DENSE_CAP + 1 });
  const end = counted[DENSE_CAP]?.startMs ?? bounds.to;
  yield* series.iterate({ from: uncut, to: Math.min(end, bounds.to) });
}

/** Longer occurrences may meet any number of changes of the clocks. */
const WEEK_MS = 7 * DAY_MS;

/** How much an occurrence that begins or ends near an instant may last longer or shorter than by the clocks. */
function clockSlack(zone: string | null, atMs: number, lengthMs: number): number {
  if (zone === null || lengthMs === 0) return 0;
  if (lengthMs > WEEK_MS) return DAY_MS;
  const offsets = [atMs - lengthMs - DAY_MS, atMs, atMs + DAY_MS].map((ms) => offsetAt(zone, ms));
  return Math.max(...offsets) - Math.min(...offsets);
}

/** Bounds beyond which no start of an occurrence between the two lengths can satisfy the window. */
function startBounds(
  { isAllDay, timeZone }: MasterSeries,
  { from, to, starts, isOverlap = false }: EventFilters,
  calendarZone: string,
  shortestMs: number,
  longestMs: number,
): StartBounds {
  // The days of an all-day event are an hour longer or shorter where the clocks change.
  const slack = isAllDay ? DAY_MS : 0;
  const inUnit = (ms: number) => (isAllDay ? wallAt(calendarZone, ms) : ms);
  const least =
    from === null
      ? Number.NEGATIVE_INFINITY
      : inUnit(from) - (isOverlap ? longestMs + clockSlack(timeZone, from, longestMs) : 0);
  const most =
    to === null
      ? Number.POSITIVE_INFINITY
      : inUnit(to) - (isOverlap ? 0 : shortestMs - clockSlack(timeZone, to, shortestMs));
  return {
    from: Math.max(least, starts === undefined ? least : inUnit(starts.from)) - slack,
    to: Math.min(most, starts === undefined ? most : inUnit(starts.until)) + slack + 1,
  };
}
