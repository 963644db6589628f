import { daysInMonth } from '../zones/civil.ts';
import { DAY_MS, formatDate, formatWall, instantOf, intlZones, parseWall, type Zones } from '../zones/index.ts';
import { GRAPH_DAYS, GRAPH_INDEXES, type GraphPattern, type GraphRange } from './graph-pattern.ts';
import { RecurrenceError } from './recurrence-error.ts';
import { WEEKDAY_NAMES } from './recurrence-rule.ts';

/** Start of a timed series, for its UNTIL: RFC 5545 requires UTC. */
export interface PatternStart {
  readonly timeZone: string;
  readonly zones?: Zones;
}

/**
 * Converts Graph's patternedRecurrence to RRULE lines. A day of month that short months lack becomes their last day, as in
 * Outlook. UNTIL is the range's last date, or its last second in UTC when `start` gives the zone.
 * @throws RecurrenceError naming the field that is missing or unknown.
 */
export function fromPatternedRecurrence(
  pattern: GraphPattern,
  range: GraphRange,
  start?: PatternStart,
): readonly string[] {
  const interval = pattern.interval > 1 ? `;INTERVAL=${pattern.interval}` : '';
  return [`RRULE:${ruleParts(pattern, interval)}${endPart(range, start)}`];
}

function ruleParts(pattern: GraphPattern, interval: string): string {
  switch (pattern.type) {
    case 'daily':
      return `FREQ=DAILY${interval}`;
    case 'weekly':
      return `FREQ=WEEKLY${interval};BYDAY=${dayList(pattern)}${weekStart(pattern)}`;
    case 'absoluteMonthly':
      return `FREQ=MONTHLY${interval}${absoluteDay(pattern, 28)}`;
    case 'relativeMonthly':
      return `FREQ=MONTHLY${interval}${relativeDay(pattern)}`;
    case 'absoluteYearly':
      return `FREQ=YEARLY${interval};BYMONTH=${monthOf(pattern)}${absoluteDay(pattern, daysInMonth(2001, monthOf(pattern)))}`;
    case 'relativeYearly':
      return `FREQ=YEARLY${interval};BYMONTH=${monthOf(pattern)}${relativeDay(pattern)}`;
    default:
      throw new RecurrenceError('pattern.type', `"${String(pattern.type)}" is unknown`);
  }
}

function dayIndexes(pattern: GraphPattern): readonly number[] {
  const indexes = (pattern.daysOfWeek ?? []).map((day) => GRAPH_DAYS.indexOf(day));
  if (indexes.length === 0 || indexes.includes(-1)) {
    throw new RecurrenceError('pattern.daysOfWeek', `${JSON.stringify(pattern.daysOfWeek)} names no weekdays`);
  }
  return [...new Set(indexes)].sort((a, b) => a - b);
}

function dayList(pattern: GraphPattern): string {
  return dayIndexes(pattern)
    .map((day) => WEEKDAY_NAMES[day])
    .join(',');
}

/** Returns WKST: Graph's week begins on Sunday by default, RRULE's on Monday. */
function weekStart(pattern: GraphPattern): string {
  const day = GRAPH_DAYS.indexOf(pattern.firstDayOfWeek ?? 'sunday');
  return day <= 0 ? '' : `;WKST=${WEEKDAY_NAMES[day]}`;
}

function monthOf(pattern: GraphPattern): number {
  const { month } = pattern;
  if (month === undefined || !(month >= 1 && month <= 12))
    throw new RecurrenceError('pattern.month', `${month} is no month`);
  return month;
}

function absoluteDay(pattern: GraphPattern, always: number): string {
  const day = pattern.dayOfMonth;
  if (day === undefined || !(day >= 1 && day <= 31))
    throw new RecurrenceError('pattern.dayOfMonth', `${day} is no day`);
  if (day <= always) return `;BYMONTHDAY=${day}`;
  const days = Array.from({ length: day - always + 1 }, (_, index) => always + index);
  return `;BYMONTHDAY=${days.join(',')};BYSETPOS=-1`;
}

function relativeDay(pattern: GraphPattern): string {
  const days = dayIndexes(pattern);
  const at = GRAPH_INDEXES.indexOf(pattern.index ?? 'first');
  if (at < 0) throw new RecurrenceError('pattern.index', `"${String(pattern.index)}" is unknown`);
  const place = at === 4 ? -1 : at + 1;
  if (days.length === 7) return `;BYMONTHDAY=${place}`;
  return days.length === 1
    ? `;BYDAY=${place}${WEEKDAY_NAMES[days[0]!]}`
    : `;BYDAY=${dayList(pattern)};BYSETPOS=${place}`;
}

function endPart(range: GraphRange, start: PatternStart | undefined): string {
  switch (range.type) {
    case 'noEnd':
      return '';
    case 'numbered':
      if (!((range.numberOfOccurrences ?? 0) >= 1)) {
        throw new RecurrenceError('range.numberOfOccurrences', `${range.numberOfOccurrences} is no count`);
      }
      return `;COUNT=${range.numberOfOccurrences}`;
    case 'endDate':
      return `;UNTIL=${untilText(range, start)}`;
    default:
      throw new RecurrenceError('range.type', `"${String(range.type)}" is unknown`);
  }
}

/** A year has four digits. Exchange's 9999-12-31 ends later west of UTC. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59);

function untilText(range: GraphRange, start: PatternStart | undefined): string {
  const date = parseWall(range.endDate ?? '');
  if (date === undefined) throw new RecurrenceError('range.endDate', `"${range.endDate}" is no date`);
  if (start === undefined) return formatDate(date.wallMs).replaceAll('-', '');
  const last = instantOf(start.timeZone, date.wallMs + DAY_MS - 1000, start.zones ?? intlZones);
  return `${formatWall(Math.min(last, LATEST)).replaceAll(/[-:]/g, '')}Z`;
}
