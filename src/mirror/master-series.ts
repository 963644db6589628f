import {
  compileSeries,
  leastStepMs,
  type Occurrence,
  occurrenceEnd,
  RecurrenceError,
  type RecurrenceId,
  RecurrenceLimit,
  recurrenceIdMs,
  type Series,
  serializeRecurrence,
  seriesLength,
  slotsPerDay,
} from '../recurrence/index.ts';
import { DAY_MS, formatDate, formatWall, nominalWallOf, resolveZone, wallOfText } from '../zones/index.ts';
import type { EventTimes } from './busy-form.ts';

/** The recurrence set of a stored master, in instants for a timed series, in wall times as if UTC for an all-day one. */
export interface MasterSeries {
  readonly series: Series;
  readonly isAllDay: boolean;
  /** Duration of an occurrence: wall-clock time in the zone for a timed series, whole days for an all-day one. */
  readonly durationMs: number;
  /** Returns the end of an occurrence, in the unit of its start. */
  endOf(slot: Pick<Occurrence, 'startMs' | 'durationMs'>): number;
  /** Zone of wall times; null exactly for an all-day series. */
  readonly timeZone: string | null;
  /** RDATEs with a duration of their own, ascending; EXDATEs and rules are not applied. */
  readonly periods: readonly Period[];
  /** Whether a rule is finer than hourly, as only hostile or broken calendars have them: such answers are capped. */
  readonly isDense: boolean;
}

/** An RDATE with a duration of its own. */
type Period = Occurrence & { readonly durationMs: number };

/** Compiles a master. With lines that cannot be parsed it has only its first occurrence, as most calendars show it. */
export function compileMaster(content: EventTimes): MasterSeries {
  const isAllDay = content.isAllDay;
  const timeZone = isAllDay ? null : (resolveZone(content.start.timeZone) ?? 'UTC');
  const dtstart =
    timeZone === null
      ? formatDate(wallOfText(content.start.dateTime))
      : formatWall(nominalWallOf(timeZone, content.start.dateTime));
  const lines = content.recurrence ?? [];
  const series = compiled(dtstart, timeZone, lines);
  const isDense = series.recurrence.rules.some((rule) => slotsPerDay(rule) > HOURLY);
  const periods = periodsOf(series, dtstart, timeZone);
  const durationMs = durationOf(content, timeZone);
  const endOf: MasterSeries['endOf'] = ({ startMs, durationMs: own }) => {
    // The duration of an RDATE is elapsed time (RFC 5545 §3.3.9).
    if (own !== undefined || timeZone === null) return startMs + (own ?? durationMs);
    return occurrenceEnd(timeZone, startMs, durationMs);
  };
  return { series, isAllDay, durationMs, endOf, timeZone, periods, isDense };
}

/** Most slots per day of a series that is not dense. */
const HOURLY = 24;

function periodsOf({ recurrence }: Series, dtstart: string, timeZone: string | null): readonly Period[] {
  const dates = recurrence.dates.filter(({ end, durationMs }) => end !== undefined || durationMs !== undefined);
  if (dates.length === 0) return [];
  const lines = serializeRecurrence({ rules: [], exceptionRules: [], dates, exceptionDates: [] });
  return compileSeries({ dtstart, timeZone, lines })
    .occurrences({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, limit: dates.length + 1 })
    .filter((occurrence): occurrence is Period => occurrence.durationMs !== undefined);
}

/**
 * The slot of a series that an original start names. A time is none of an all-day series, and a date none of a timed one: when a series
 * changes from one to the other, Google keeps its cancelled occurrences on record, and shows their days. Two slots of an hour that the
 * clocks repeat have one wall time: their starts tell them apart.
 */
export function namedSlot({ series, isAllDay }: MasterSeries, slot: RecurrenceId): Occurrence | undefined {
  return isAllDay === (slot.kind === 'date') ? series.slotNamed(recurrenceIdMs(slot)) : undefined;
}

/** Returns the least time that `count` slots of the series span. */
export function leastSpanMs({ series }: MasterSeries, count: number): number {
  const { rules, dates } = series.recurrence;
  const ofOneRule = Math.floor((count - dates.length) / Math.max(1, rules.length));
  return Math.max(0, ofOneRule) * Math.min(...rules.map(leastStepMs));
}

function compiled(dtstart: string, timeZone: string | null, lines: readonly string[]): Series {
  try {
    return compileSeries({ dtstart, timeZone, lines });
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    return compileSeries({ dtstart, timeZone, lines: [] });
  }
}

function durationOf(content: EventTimes, timeZone: string | null): number {
  if (timeZone === null) {
    const days = wallOfText(content.end.dateTime) - wallOfText(content.start.dateTime);
    return Math.max(DAY_MS, days);
  }
  return seriesLength(timeZone, content);
}

/** Largest COUNT that is expanded to find the last slot. */
const MAX_COUNTED = 2000;

interface SeriesBounds {
  readonly first: number;
  readonly last: number | null;
}

/**
 * Returns bounds of a series' first and last start. They include slots that EXDATE and EXRULE remove. `last` is null for an
 * endless series, and where it would cost too much to compute.
 */
export function seriesBounds({ series }: MasterSeries): SeriesBounds {
  const { rules, dates } = series.recurrence;
  // No rule starts before dtstart. Wall times stand for instants: the caller's slack covers the zone's offset.
  const first = dates.reduce((least, { time }) => Math.min(least, time.wallMs), series.dtstartMs);
  const isShort = rules.every(({ count, freq }) => count !== undefined && count <= MAX_COUNTED && freq !== 'SECONDLY');
  if (isShort && dates.length <= MAX_COUNTED) return { first, last: lastOf(series, first) };
  const untils = rules.flatMap(({ until }) => (until === undefined ? [] : [until.wallMs]));
  if (dates.length > 0 || untils.length < rules.length) return { first, last: null };
  return { first, last: Math.max(first, ...untils.map((until) => until + 2 * DAY_MS)) };
}

function lastOf(series: Series, first: number): number | null {
  try {
    return series.last()?.startMs ?? first;
  } catch (error) {
    // Exception rules that remove nearly every slot: treat the series as endless.
    if (!(error instanceof RecurrenceLimit)) throw error;
    return null;
  }
}
