import { DAY_MS } from '../zones/index.ts';
import { createCalendarReader, type OccurrenceReader } from './calendar-reader.ts';
import { compileCalendarRule, HORIZON_MS } from './calendar-rule.ts';
import { dateExclusion, type ExclusionWork, without } from './exclusions.ts';
import type { Occurrence } from './occurrence.ts';
import { listReader, mergeReaders } from './occurrence-readers.ts';
import { parseRecurrence } from './parse-lines.ts';
import { RecurrenceError } from './recurrence-error.ts';
import { isSubDaily, type RecurrenceLines, type RecurrenceRule } from './recurrence-rule.ts';
import {
  lastInstant,
  readContext,
  type SeriesContext,
  type SeriesDefinition,
  startsOfWall,
  untilInstant,
  untilWall,
} from './series-context.ts';
import { createSubDailyReader } from './sub-daily-reader.ts';

/** A half-open window on starts: instants for a series in a zone, wall times as if in UTC for any other. */
export interface OccurrenceWindow {
  readonly from: number;
  readonly to: number;
  /** @default 50,000 */
  readonly limit?: number;
}

/** A compiled series. Immutable to callers; compile it once and reuse it. */
export interface Series {
  /** The dtstart as wall time as if in UTC. */
  readonly dtstartMs: number;
  readonly isAllDay: boolean;
  /** The zone in its original spelling, or null. */
  readonly timeZone: string | null;
  readonly recurrence: RecurrenceLines;
  /** Whether every rule has a COUNT or an UNTIL. */
  readonly isFinite: boolean;
  /**
   * Returns the occurrences that start in `[from, to)`, ascending by start, each start once, EXDATEs removed, exceptions not
   * applied; at most the first `limit`. The cost depends on the window, not on its distance from dtstart.
   * @throws RecurrenceLimit, as `iterate`, `first` and `last` do, when EXRULE or EXDATE remove hundreds of thousands of
   * occurrences before the remaining ones
   */
  occurrences(window: OccurrenceWindow): readonly Occurrence[];
  /** Yields the occurrences of a window lazily, without a limit. */
  iterate(window: { readonly from: number; readonly to: number }): Generator<Occurrence, void, undefined>;
  /** Returns whether the series has a slot with this nominal wall time. */
  has(wallMs: number): boolean;
  /** Returns the occurrence that starts at this instant (wall time as if in UTC for a floating or all-day series). */
  slotAt(startMs: number): Occurrence | undefined;
  /**
   * Returns the slot that an original start names: the one that starts then, else one at the same local time, for a provider may take the
   * other pass of an hour that the clocks repeat. In the unit of `slotAt`.
   */
  slotNamed(startMs: number): Occurrence | undefined;
  /**
   * Returns the slot at a local time, which may also be the shifted time of a slot in a gap; in an hour that the clocks repeat the first
   * of two.
   */
  slotOfWall(wallMs: number): Occurrence | undefined;
  /**
   * Returns the nominal wall time of the slot at a local time, which may also be the shifted time of a slot in a gap;
   * undefined when there is no such slot.
   */
  keyOf(wallMs: number): number | undefined;
  /** Returns the first occurrence, undefined when there is none. */
  first(): Occurrence | undefined;
  /** Returns the last occurrence; null when the series does not end, undefined when it has no occurrence. */
  last(): Occurrence | null | undefined;
}

/** Default limit of `occurrences`. */
export const DEFAULT_LIMIT = 50_000;

/**
 * Compiles a series for any number of queries.
 * @throws RecurrenceError naming the part when dtstart, the zone or a line cannot be read.
 * @example
 * const series = compileSeries({
 *   dtstart: '2026-01-05T09:00:00',
 *   timeZone: 'America/New_York',
 *   lines: ['RRULE:FREQ=WEEKLY;BYDAY=MO'],
 * });
 * series.occurrences({ from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 3, 1) });
 */
export function compileSeries(definition: SeriesDefinition): Series {
  return createSeries(readContext(definition), parseRecurrence(definition.lines), definition.timeZone);
}

function createSeries(context: SeriesContext, recurrence: RecurrenceLines, timeZone: string | null): Series {
  const work: ExclusionWork = { spent: 0 };
  const reader = readerOf(context, recurrence, work);
  const { rules, exceptionRules } = recurrence;
  const ends = rules.every((rule) => rule.count !== undefined || rule.until !== undefined);

  /** Implements `occurrences` within the work budget of the current call. */
  function read({ from, to, limit = DEFAULT_LIMIT }: OccurrenceWindow): readonly Occurrence[] {
    const out: Occurrence[] = [];
    if (from < to && limit > 0) reader(from, to, limit, out);
    return out;
  }

  function occurrences(window: OccurrenceWindow): readonly Occurrence[] {
    work.spent = 0;
    return read(window);
  }

  function slotAt(startMs: number): Occurrence | undefined {
    return occurrences({ from: startMs, to: startMs + 1, limit: 1 })[0];
  }

  function slotOfWall(wallMs: number): Occurrence | undefined {
    const [first, again] = startsOfWall(context, wallMs);
    return slotAt(first) ?? (again === undefined ? undefined : slotAt(again));
  }

  const keyOf = (wallMs: number) => slotOfWall(wallMs)?.wallMs;

  return {
    dtstartMs: context.startWallMs,
    isAllDay: context.isAllDay,
    timeZone,
    recurrence,
    isFinite: ends,
    occurrences,
    *iterate({ from, to }) {
      const most = Math.max(16, Math.floor(1024 / (exceptionRules.length + 1)));
      let at = from;
      for (let size = 16; ; size = Math.min(size * 2, most)) {
        const page = occurrences({ from: at, to, limit: size });
        yield* page;
        if (page.length < size) return;
        at = page.at(-1)!.startMs + 1;
      }
    },
    slotAt,
    slotNamed: (startMs) => slotAt(startMs) ?? slotOfWall(startMs + context.table.spanAt(startMs).offsetMs),
    slotOfWall,
    keyOf,
    has: (wallMs) => keyOf(wallMs) === wallMs,
    first: () => firstFrom(occurrences, Number.NEGATIVE_INFINITY),
    last() {
      if (!ends) return null;
      work.spent = 0;
      return lastOf(read);
    },
  };
}

/** Returns the first occurrence from an instant on. */
export function firstFrom(occurrences: Series['occurrences'], from: number): Occurrence | undefined {
  return occurrences({ from, to: Number.POSITIVE_INFINITY, limit: 1 })[0];
}

/**
 * Finds the last occurrence by bisection, each time from the first occurrence of the later half. No part is searched twice.
 */
function lastOf(occurrences: Series['occurrences']): Occurrence | undefined {
  let last = firstFrom(occurrences, Number.NEGATIVE_INFINITY);
  if (last === undefined) return undefined;
  let end = HORIZON_MS + DAY_MS;
  while (end - last.startMs > 1) {
    const middle: number = Math.floor((last.startMs + end) / 2) + 1;
    const later: Occurrence | undefined = middle < end ? firstFrom(occurrences, middle) : undefined;
    if (later === undefined) end = Math.min(middle, end - 1);
    else last = later;
  }
  return last;
}

function readerOf(context: SeriesContext, recurrence: RecurrenceLines, work: ExclusionWork): OccurrenceReader {
  const readers = recurrence.rules.map((rule) => ruleReader(context, rule));
  if (recurrence.rules.length === 0 || recurrence.dates.length > 0) {
    // Without a rule dtstart is the first member of the set; with one the rule decides.
    const dtstart = { time: { form: 'local', wallMs: context.startWallMs } } as const;
    readers.push(
      listReader(context, recurrence.rules.length === 0 ? [...recurrence.dates, dtstart] : recurrence.dates),
    );
  }
  const merged = readers.length === 1 ? readers[0]! : mergeReaders(readers);
  const exceptions = recurrence.exceptionRules.map((rule) => ruleReader(context, rule));
  const excludesDate = dateExclusion(context, recurrence.exceptionDates);
  if (exceptions.length === 0 && excludesDate === undefined) return merged;
  return without(merged, exceptions, excludesDate, work);
}

function ruleReader(context: SeriesContext, rule: RecurrenceRule): OccurrenceReader {
  const { startWallMs, isAllDay, table, gap } = context;
  if (isSubDaily(rule.freq)) {
    if (isAllDay) throw new RecurrenceError('FREQ', `${rule.freq} has no meaning for an all-day series`);
    return createSubDailyReader(rule, startWallMs, table, lastInstant(context, rule.until));
  }
  const compiled = compileCalendarRule(
    rule,
    startWallMs,
    isAllDay,
    untilWall(context, rule.until),
    gap === 'skip' && !isAllDay ? table : undefined,
  );
  return createCalendarReader(compiled, table, gap, untilInstant(context, rule.until));
}
