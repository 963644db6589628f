import { leastSpanMs, type MasterSeries } from '../../mirror/index.ts';
import { type Occurrence, RecurrenceLimit, type Series } from '../../recurrence/index.ts';
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
  for (const page of slotPages(master, filters, calendarZone, after)) yield* page;
}

/** The slots of `windowSlots` by the page: a generator that yields each slot takes several times as long as finding them. */
export function* slotPages(
  master: MasterSeries,
  filters: EventFilters,
  calendarZone: string,
  after = Number.NEGATIVE_INFINITY,
): Generator<readonly Occurrence[], void, undefined> {
  try {
    yield* pagesWithin(master, filters, calendarZone, after);
  } catch (error) {
    if (!(error instanceof RecurrenceLimit)) throw error;
  }
}

type Pages = Generator<readonly Occurrence[], void, undefined>;

function* pagesWithin(master: MasterSeries, filters: EventFilters, calendarZone: string, after: number): Pages {
  const { durationMs, periods } = master;
  const within = (shortestMs: number, longestMs: number) => {
    const { from, to } = startBounds(master, filters, calendarZone, shortestMs, longestMs);
    return { from: Math.max(from, after), to };
  };
  const usual = within(durationMs, durationMs);
  if (periods.length === 0) {
    if (usual.from < usual.to) yield* cappedPages(master, usual, filters, calendarZone);
    return;
  }
  const lengths = [durationMs, ...periods.map((period) => period.durationMs)];
  const all = within(Math.min(...lengths), Math.max(...lengths));
  if (usual.from >= usual.to) {
    yield* periodPages(master, all);
    return;
  }
  yield* periodPages(master, { from: all.from, to: usual.from });
  yield* cappedPages(master, usual, filters, calendarZone);
  yield* periodPages(master, { from: usual.to, to: all.to });
}

function* periodPages({ series, periods }: MasterSeries, { from, to }: StartBounds): Pages {
  for (const { startMs } of periods) {
    const slot = startMs >= from && startMs < to ? series.slotAt(startMs) : undefined;
    if (slot !== undefined) yield [slot];
  }
}

/**
 * The slots within the bounds, without those that the cap cuts off. It counts from the window's start, so that every page and
 * revision agrees; nothing is counted before it can have been reached.
 */
function* cappedPages(
  master: MasterSeries,
  bounds: StartBounds,
  { starts: _, ...window }: EventFilters,
  calendarZone: string,
): Pages {
  const { series, durationMs, isDense } = master;
  if (!isDense) return yield* pagesOf(series, bounds);
  const whole = startBounds(master, window, calendarZone, durationMs, durationMs);
  const start = Number.isFinite(whole.from) ? whole.from : (series.first()?.startMs ?? whole.to);
  const uncut = Math.min(bounds.to, Math.max(bounds.from, start + leastSpanMs(master, DENSE_CAP)));
  yield* pagesOf(series, { from: bounds.from, to: uncut });
  if (uncut === bounds.to) return;
  const counted = series.occurrences({ ...whole, limit: DENSE_CAP + 1 });
  const end = counted[DENSE_CAP]?.startMs ?? bounds.to;
  yield* pagesOf(series, { from: uncut, to: Math.min(end, bounds.to) });
}

/** Pages grow, so that neither a short answer nor a long one costs much beside its slots. */
const FIRST_PAGE = 16;
const LAST_PAGE = 1_024;

function* pagesOf(series: Series, { from, to }: StartBounds): Pages {
  // Each exception rule is worked out for every page.
  const largest = Math.max(FIRST_PAGE, Math.floor(LAST_PAGE / (series.recurrence.exceptionRules.length + 1)));
  let at = from;
  for (let limit = FIRST_PAGE; ; limit = Math.min(limit * 2, largest)) {
    const page = series.occurrences({ from: at, to, limit });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (page.length < limit || last === undefined) return;
    at = last.startMs + 1;
  }
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
