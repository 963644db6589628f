import type { EventContent } from '../ports/index.ts';
import {
  compileSeries,
  leastStepMs,
  type Occurrence,
  occurrenceEnd,
  printRecurrence,
  RecurrenceError,
  RecurrenceLimit,
  type Series,
  slotsPerDay,
  wallLength,
} from '../recurrence/index.ts';
import { DAY_MS, formatDate, formatWall, resolveZone, wallAt } from '../zones/index.ts';
import { instantOfText, wallOfText } from './event-time.ts';

/** The recurrence set of a stored master. Instants for a timed series, wall times as if in UTC for an all-day one. */
export interface MasterSeries {
  readonly series: Series;
  readonly isAllDay: boolean;
  /** Length of one occurrence: by the clocks of its zone for a timed series, whole days for an all-day one. */
  readonly durationMs: number;
  /** Returns the end of an occurrence, in the unit of its start. */
  endOf(slot: Pick<Occurrence, 'startMs' | 'durationMs'>): number;
  /** Zone in which wall times are read; null for an all-day series. */
  readonly timeZone: string | null;
  /** RDATEs whose length is their own, ascending; EXDATEs and rules are not applied. */
  readonly periods: readonly Occurrence[];
  /** Finer than hourly by whatever rule, which only hostile or broken calendars have: its answers are capped. */
  readonly isDense: boolean;
}

/** Compiles a master. Lines that nobody can read leave the first occurrence alone, as most calendars show it. */
export function compileMaster(content: EventContent): MasterSeries {
  const isAllDay = content.isAllDay;
  const timeZone = isAllDay ? null : (resolveZone(content.start.timeZone) ?? 'UTC');
  const dtstart = isAllDay
    ? formatDate(wallOfText(content.start.dateTime))
    : formatWall(wallAt(timeZone!, instantOfText(content.start.dateTime, timeZone!)));
  const lines = content.recurrence ?? [];
  const series = compiled(dtstart, timeZone, lines);
  const isDense = series.recurrence.rules.some((rule) => slotsPerDay(rule) > HOURLY);
  const periods = periodsOf(series, dtstart, timeZone);
  const durationMs = durationOf(content, timeZone);
  const endOf: MasterSeries['endOf'] = ({ startMs, durationMs: own }) => {
    // The length of an RDATE that has one of its own is elapsed time (RFC 5545 §3.3.9).
    if (own !== undefined || timeZone === null) return startMs + (own ?? durationMs);
    return occurrenceEnd(timeZone, startMs, durationMs);
  };
  return { series, isAllDay, durationMs, endOf, timeZone, periods, isDense };
}

/** Slots of a day up to which a series is not dense. */
const HOURLY = 24;

function periodsOf({ recurrence }: Series, dtstart: string, timeZone: string | null): readonly Occurrence[] {
  const dates = recurrence.dates.filter(({ end, durationMs }) => end !== undefined || durationMs !== undefined);
  if (dates.length === 0) return [];
  const lines = printRecurrence({ rules: [], exceptionRules: [], dates, exceptionDates: [] });
  return compileSeries({ dtstart, timeZone, lines })
    .occurrences({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, limit: dates.length + 1 })
    .filter(({ durationMs }) => durationMs !== undefined);
}

/** `count` slots of the series take at least so long. */
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

function durationOf(content: EventContent, timeZone: string | null): number {
  if (timeZone === null) {
    const days = wallOfText(content.end.dateTime) - wallOfText(content.start.dateTime);
    return Math.max(DAY_MS, days);
  }
  const start = instantOfText(content.start.dateTime, content.start.timeZone);
  return wallLength(timeZone, start, instantOfText(content.end.dateTime, content.end.timeZone));
}

/** A COUNT above this is not walked to its end. */
const COUNTED = 2000;

interface SeriesBounds {
  readonly first: number;
  readonly last: number | null;
}

/** First and last start of a series, generously: what EXDATE and EXRULE remove counts too. Null when it has no end worth computing. */
export function seriesBounds({ series }: MasterSeries): SeriesBounds {
  const { rules, dates } = series.recurrence;
  // No rule begins before dtstart. Wall times stand for instants: the zone's offset is the caller's slack.
  const first = dates.reduce((least, { time }) => Math.min(least, time.wallMs), series.dtstartMs);
  const isShort = rules.every(({ count, freq }) => count !== undefined && count <= COUNTED && freq !== 'SECONDLY');
  if (isShort && dates.length <= COUNTED) return { first, last: lastOf(series, first) };
  const untils = rules.map(({ until }) => until?.wallMs);
  if (dates.length > 0 || untils.includes(undefined)) return { first, last: null };
  return { first, last: Math.max(first, ...untils.map((until) => until! + 2 * DAY_MS)) };
}

function lastOf(series: Series, first: number): number | null {
  try {
    return series.last()?.startMs ?? first;
  } catch (error) {
    // Exception rules that remove nearly everything: no window is ruled out.
    if (!(error instanceof RecurrenceLimit)) throw error;
    return null;
  }
}
