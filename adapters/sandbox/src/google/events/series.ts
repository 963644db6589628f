import { parseRecurrence, RecurrenceError, type Series } from 'kalends/recurrence';
import { DAY_MS, formatDate, formatWall, parseWall, wallAt } from 'kalends/zones';
import { badRequest } from '../api/google-error.ts';
import type { StoredTime } from '../google-state.ts';
import { instantOfTime, isKnownZone, sameLength } from './event-time.ts';
import { compileAtGoogle } from './google-expansion.ts';

/** The times of a series. */
export interface SeriesShape {
  readonly start: StoredTime;
  readonly end: StoredTime;
  readonly recurrence?: string[];
}

/** One slot of the rule. */
export interface Slot {
  readonly start: StoredTime;
  readonly end: StoredTime;
}

/** Instants; both bounds exclusive in the sense of the API (end after `from`, start before `to`). */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const EARLIEST = Date.UTC(1000, 0, 1);
const LATEST = Date.UTC(4000, 0, 1);
const MOST_SLOTS = 50_000;
const COMPILED_KEPT = 2_000;
const compiled = new Map<string, Series>();

/**
 * Refuses what the API refuses: other properties than RRULE, EXRULE, RDATE and EXDATE, malformed rules, an UNTIL in
 * the wrong form (UTC for timed series, a date for all-day ones).
 * @throws GoogleError 400
 */
export function checkRecurrence(lines: readonly string[], start: StoredTime): void {
  const isAllDay = 'date' in start;
  for (const line of lines) {
    if (!/^(?:RRULE|EXRULE|RDATE|EXDATE)[:;]/.test(line)) throw badRequest('Invalid recurrence rule.');
  }
  try {
    for (const rule of parseRecurrence(lines).rules) {
      const form = rule.until?.form;
      if (form !== undefined && form !== (isAllDay ? 'date' : 'utc')) throw badRequest('Invalid recurrence rule.');
    }
    seriesOf({ start, end: start, recurrence: [...lines] });
  } catch (error) {
    if (error instanceof RecurrenceError) throw badRequest('Invalid recurrence rule.');
    throw error;
  }
}

/**
 * Returns lines as the API stores them: dates in a zone that it does not know, such as `Pacific Standard Time`, are read as
 * UTC (observed: derekantrican/GAS-ICS-Sync#398).
 */
export function storedRecurrence(lines: readonly string[]): string[] {
  return lines.map((line) => {
    const [, property, tzid, values = ''] = /^(RDATE|EXDATE);TZID=([^;:]*):(.*)$/.exec(line) ?? [];
    if (property === undefined || isKnownZone(tzid)) return line;
    return `${property}:${values
      .split(',')
      .map((value) => `${value}Z`)
      .join(',')}`;
  });
}

/** Returns the slots that meet a range, ascending. All-day slots begin at midnight in `calendarZone`. */
export function slotsWithin(shape: SeriesShape, range: Range, calendarZone: string, limit = MOST_SLOTS): Slot[] {
  if (shape.recurrence === undefined) return [];
  const lengthMs = instantOfTime(shape.end, calendarZone) - instantOfTime(shape.start, calendarZone);
  // A day of margin on both sides covers all-day wall times, and occurrences that a change of the clocks makes longer.
  const margin = DAY_MS;
  const window = {
    from: Math.max(EARLIEST, range.from - Math.max(lengthMs, 0) - margin),
    to: Math.min(LATEST, range.to + margin),
  };
  const slots: Slot[] = [];
  for (const occurrence of seriesOf(shape).iterate(window)) {
    const slot = slotAt(shape, occurrence.startMs);
    const start = instantOfTime(slot.start, calendarZone);
    const end = instantOfTime(slot.end, calendarZone);
    if (start >= range.to || !(end > range.from || start >= range.from)) continue;
    slots.push(slot);
    if (slots.length >= limit) break;
  }
  return slots;
}

/** Returns the slot of an instance id's suffix; undefined when the rule has none there. */
export function findSlot(shape: SeriesShape, stamp: string): Slot | undefined {
  if (shape.recurrence === undefined) return undefined;
  const isAllDay = 'date' in shape.start;
  const text = stamp.replace(/Z$/, '');
  const wall = parseWall(
    `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}${
      isAllDay ? '' : `T${text.slice(9, 11)}:${text.slice(11, 13)}:${text.slice(13, 15)}`
    }`,
  );
  if (wall === undefined || wall.dateOnly !== isAllDay || stamp.endsWith('Z') === isAllDay) return undefined;
  return seriesOf(shape).slotAt(wall.wallMs) === undefined ? undefined : slotAt(shape, wall.wallMs);
}

function slotAt(shape: SeriesShape, startMs: number): Slot {
  const start: StoredTime =
    'date' in shape.start ? { date: formatDate(startMs) } : { at: startMs, timeZone: shape.start.timeZone };
  return { start, end: sameLength(shape.start, shape.end, start) };
}

function seriesOf(shape: SeriesShape): Series {
  const timeZone = 'date' in shape.start ? null : (shape.start.timeZone ?? 'UTC');
  const dtstart = 'date' in shape.start ? shape.start.date : formatWall(wallAt(timeZone ?? 'UTC', shape.start.at));
  const lines = shape.recurrence ?? [];
  const key = [dtstart, timeZone, ...lines].join('\n');
  const known = compiled.get(key);
  if (known !== undefined) return known;
  if (compiled.size >= COMPILED_KEPT) compiled.clear();
  const series = compileAtGoogle({ dtstart, timeZone }, lines);
  compiled.set(key, series);
  return series;
}
