import { ProviderError } from 'kalends/ports';
import { RecurrenceError } from 'kalends/recurrence';
import {
  fromPatternedRecurrence,
  type GraphPattern,
  type GraphRange,
  type PatternedRecurrence,
  toPatternedRecurrence,
  UnrepresentableRecurrence,
} from 'kalends/recurrence/patterned';
import { formatDate } from 'kalends/zones';
import { LONGEST_INTERVAL, MOST_OCCURRENCES } from '../capabilities.ts';
import type { WireRecurrence } from './event-wire.ts';

/** Start of a series for its lines: wall time or date, and its zone (null for all-day). */
export interface SeriesStart {
  readonly dtstart: string;
  readonly timeZone: string | null;
}

/** A mapped recurrence: its lines, and the deleted slots that its EXDATE lines name. */
export interface ShownRecurrence {
  readonly lines: readonly string[];
  /** Dates of slots that EXDATE lines name. */
  readonly excludedDates: ReadonlySet<string>;
  /** Whether the pattern cannot be read, and the lines show the first occurrence alone. */
  readonly isUnreadable?: boolean;
}

/**
 * Returns the lines of a series: the written ones while they equal Graph's pattern, else that pattern as RRULE. Undefined for
 * an unreadable pattern: the caller shows the first occurrence alone.
 */
export function readRecurrence(
  wire: WireRecurrence,
  start: SeriesStart,
  kept: readonly string[] | undefined,
  cancelledDates: ReadonlySet<string>,
): ShownRecurrence | undefined {
  const written = kept === undefined ? undefined : patterned(kept, start);
  if (kept !== undefined && written !== undefined && isSameRecurrence(written, wire)) {
    const excludedDates = new Set(written.excluded.map(formatDate));
    if ([...excludedDates].every((date) => cancelledDates.has(date))) return { lines: kept, excludedDates };
  }
  try {
    const zone = start.timeZone === null ? undefined : { timeZone: start.timeZone };
    const lines = fromPatternedRecurrence(wire.pattern as GraphPattern, wire.range as GraphRange, zone);
    return { lines, excludedDates: new Set() };
  } catch (error) {
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}

function patterned(lines: readonly string[], start: SeriesStart): PatternedRecurrence | undefined {
  try {
    return toPatternedRecurrence({ ...start, lines });
  } catch (error) {
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}

function isSameRecurrence(written: PatternedRecurrence, wire: WireRecurrence): boolean {
  return comparable(written.pattern, written.range) === comparable(wire.pattern, wire.range);
}

/** The parts that a type uses; Graph fills the others with zeros. */
function comparable(pattern: WireRecurrence['pattern'] | GraphPattern, range: WireRecurrence['range']): string {
  const { type } = pattern;
  const isRelative = type.startsWith('relative');
  return JSON.stringify([
    type,
    pattern.interval ?? 1,
    type.endsWith('Yearly') ? pattern.month : 0,
    type.startsWith('absolute') ? pattern.dayOfMonth : 0,
    type === 'weekly' || isRelative ? [...(pattern.daysOfWeek ?? [])].sort() : [],
    type === 'weekly' ? (pattern.firstDayOfWeek ?? 'sunday') : '',
    isRelative ? (pattern.index ?? 'first') : '',
    range.type,
    range.startDate,
    range.type === 'endDate' ? range.endDate : '',
    range.type === 'numbered' ? range.numberOfOccurrences : 0,
  ]);
}

/** Returns true when two recurrences share pattern and start, so that Exchange keeps the exceptions and deletions. */
export function isSamePattern(written: WrittenRecurrence['wire'], wire: WireRecurrence): boolean {
  const open = { type: 'noEnd' };
  return (
    comparable(written.pattern, { ...written.range, ...open }) === comparable(wire.pattern, { ...wire.range, ...open })
  );
}

/** A recurrence to send, and the dates of the slots to delete afterwards. */
export interface WrittenRecurrence {
  readonly wire: { readonly pattern: GraphPattern; readonly range: GraphRange };
  readonly excludedDates: readonly string[];
}

/**
 * Returns lines as Graph's recurrence, exactly or not at all. `sentZone` is the zone's name on the wire; without one Graph takes
 * the event's.
 * @throws ProviderError unsupported for lines that Graph cannot represent, invalid for unreadable ones
 */
export function writeRecurrence(
  lines: readonly string[],
  start: SeriesStart,
  sentZone: string | undefined,
): WrittenRecurrence {
  let result: PatternedRecurrence;
  try {
    result = toPatternedRecurrence({ ...start, lines });
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    const reason = error instanceof UnrepresentableRecurrence ? 'unsupported' : 'invalid';
    throw new ProviderError(reason, error.message, { field: 'recurrence', cause: error });
  }
  const { pattern, range, excluded } = result;
  if ((range.numberOfOccurrences ?? 0) > MOST_OCCURRENCES) throw tooLarge(`COUNT above ${MOST_OCCURRENCES}`);
  const longest = pattern.type === 'daily' ? LONGEST_INTERVAL.daily : LONGEST_INTERVAL.other;
  if (pattern.interval > longest) throw tooLarge(`INTERVAL above ${longest}`);
  return {
    wire: { pattern, range: sentZone === undefined ? range : { ...range, recurrenceTimeZone: sentZone } },
    excludedDates: excluded.map(formatDate),
  };
}

function tooLarge(what: string): ProviderError {
  return new ProviderError('unsupported', `Graph has no recurrence with ${what}`, { field: 'recurrence' });
}
