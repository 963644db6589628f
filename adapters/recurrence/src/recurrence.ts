import { describeRecurrence, type Language } from '../../../src/describe/index.ts';
import {
  compileSeries,
  type GapPolicy,
  type Occurrence,
  RecurrenceError,
  RecurrenceLimit,
  type RecurrenceRule,
  type Series,
  serializeRecurrence,
} from '../../../src/recurrence/index.ts';
import { formatDate, formatWall } from '../../../src/zones/index.ts';
import { type Moment, readMoment } from './moment.ts';
import { readBackwards } from './read-backwards.ts';
import { formNamed, formOfClass, type ResultForms, type TemporalClass, type ToResult } from './result-form.ts';
import { basic, positionOf, type TimeFrame } from './time-frame.ts';

/** A number of results, or a test that ends them: the first value for which it is falsy is left out. */
export type Limit<Value> = number | ((value: Value, index: number) => unknown);

/** Most results of one call without a number as its limit. */
export const MOST_RESULTS = 100_000;

/**
 * A recurrence with its start: immutable, compiled once, for any number of questions. Their cost depends on the occurrences that
 * they return, not on the distance from the start.
 *
 * Bounds of questions are moments: an instant, or local time of the series. They are exclusive unless `inc` is true.
 */
export interface Recurrence<Value = Date> extends Iterable<Value> {
  /** Local time of the start, `2026-01-05T09:00:00`, or a date for an all-day recurrence. */
  readonly start: string;
  /** The IANA name; null for a floating recurrence; the TZID of a VTIMEZONE that stands for no known zone. */
  readonly timeZone: string | null;
  readonly isAllDay: boolean;
  /** Whether every rule has a COUNT or an UNTIL. */
  readonly isFinite: boolean;
  /** RRULE, EXRULE, RDATE and EXDATE lines. */
  readonly lines: readonly string[];
  /** The parsed rules. */
  readonly rules: readonly RecurrenceRule[];
  /** The compiled series, for windows of occurrences with their keys. */
  readonly series: Series;
  /**
   * Returns all results from the start on, ascending.
   * @throws RecurrenceError without a limit, when the recurrence does not end
   * @throws RecurrenceLimit for more than 100,000 results, unless the limit is a number
   */
  all(limit?: Limit<Value>): Value[];
  /**
   * Returns the results between two moments, ascending.
   * @throws RecurrenceLimit for more than 100,000 results, unless the limit is a number
   */
  between(after: Moment, before: Moment, inc?: boolean, limit?: Limit<Value>): Value[];
  /** Returns the first result after a moment, null when there is none. */
  after(moment: Moment, inc?: boolean): Value | null;
  /** Returns the last result before a moment, null when there is none. */
  before(moment: Moment, inc?: boolean): Value | null;
  /** Returns the first result, null when there is none. */
  first(): Value | null;
  /**
   * Returns the last result, null when there is none.
   * @throws RecurrenceError when the recurrence does not end
   */
  last(): Value | null;
  /** Returns whether an occurrence starts at a moment. */
  includes(moment: Moment): boolean;
  /**
   * Returns the number of occurrences.
   * @throws RecurrenceError when the recurrence does not end, RecurrenceLimit for more than 100,000
   */
  count(): number;
  /** Yields the results lazily, ascending, from the start or after a moment. */
  forwards(after?: Moment, inc?: boolean): Generator<Value, void, undefined>;
  /**
   * Yields the results lazily, descending, from the end or before a moment.
   * @throws RecurrenceError without a moment, when the recurrence does not end
   */
  backwards(before?: Moment, inc?: boolean): Generator<Value, void, undefined>;
  /**
   * Returns the same recurrence with results in another form.
   * @example
   * import { Temporal } from 'temporal-polyfill/full';
   *
   * const daily = recurrence({ start: '2026-03-01T09:00', timeZone: 'America/New_York', rule: { freq: 'daily' } });
   * daily.as('iso').after('2026-03-02'); // '2026-03-02T09:00:00-05:00'
   * daily.as(Temporal.ZonedDateTime).first();
   */
  as<Name extends keyof ResultForms>(form: Name): Recurrence<ResultForms[Name]>;
  as<Other>(type: TemporalClass<Other>): Recurrence<Other>;
  /** Returns the recurrence in words: `every week on Monday and Wednesday, 8 times`. */
  toText(language?: Language): string;
  /** Returns the content lines: DTSTART, then `lines`. `parseRecurrence` reads them back. */
  toString(): string;
}

/** The parts of a recurrence, read from any of its forms. */
export interface RecurrenceDefinition extends TimeFrame {
  readonly dtstart: string;
  readonly lines: readonly string[];
  readonly gap: GapPolicy | undefined;
  /** Lines of the VTIMEZONE that defines the zone. */
  readonly zoneLines: readonly string[];
}

/** @throws RecurrenceError naming the part that cannot be read */
export function createRecurrence(definition: RecurrenceDefinition): Recurrence {
  const { dtstart, timeZone, lines, gap, zones } = definition;
  const series = compileSeries({ dtstart, timeZone, lines, zones, ...(gap === undefined ? {} : { gap }) });
  return recurrenceIn(definition, series, formNamed('date', definition));
}

function recurrenceIn<Value>(
  definition: RecurrenceDefinition,
  series: Series,
  toResult: ToResult<Value>,
): Recurrence<Value> {
  const { isAllDay, timeZone } = definition;
  const start = isAllDay ? formatDate(series.dtstartMs) : formatWall(series.dtstartMs);
  const lines = serializeRecurrence(series.recurrence);
  const at = (moment: Moment, part: string) => positionOf(readMoment(moment, part), definition, part);
  /** The first millisecond after a bound, or at it. */
  const lower = (moment: Moment, inc: boolean, part: string) =>
    inc ? Math.ceil(at(moment, part)) : afterMs(at(moment, part));
  /** The end of a half-open range up to a bound. */
  const upper = (moment: Moment, inc: boolean, part: string) =>
    inc ? afterMs(at(moment, part)) : Math.ceil(at(moment, part));
  const checkEnds = (part: string, instead: string) => {
    if (!series.isFinite) throw new RecurrenceError(part, `the recurrence does not end; ${instead}`);
  };
  const one = (occurrence: Occurrence | null | undefined) => (occurrence ? toResult(occurrence) : null);

  function collect(from: number, to: number, limit: Limit<Value> | undefined): Value[] {
    if (typeof limit === 'number') return series.occurrences({ from, to, limit: wholeLimit(limit) }).map(toResult);
    if (limit === undefined) return bounded(series.occurrences({ from, to, limit: MOST_RESULTS + 1 })).map(toResult);
    const values: Value[] = [];
    for (const occurrence of series.iterate({ from, to })) {
      const value = toResult(occurrence);
      if (!limit(value, values.length)) break;
      if (values.push(value) > MOST_RESULTS) throw tooMany();
    }
    return values;
  }

  function* forwards(after?: Moment, inc = false): Generator<Value, void, undefined> {
    const from = after === undefined ? Number.NEGATIVE_INFINITY : lower(after, inc, 'after');
    for (const occurrence of series.iterate({ from, to: Number.POSITIVE_INFINITY })) yield toResult(occurrence);
  }

  function endOf(before: Moment | undefined, inc: boolean): number {
    if (before !== undefined) return upper(before, inc, 'before');
    checkEnds('backwards', 'give the moment to start from');
    const last = series.last();
    return last ? last.startMs + 1 : Number.NEGATIVE_INFINITY;
  }

  function* resultsBackwards(end: number): Generator<Value, void, undefined> {
    for (const occurrence of readBackwards(series, end)) yield toResult(occurrence);
  }

  return {
    start,
    timeZone,
    isAllDay,
    isFinite: series.isFinite,
    lines,
    rules: series.recurrence.rules,
    series,
    all(limit) {
      if (limit === undefined) checkEnds('all', 'give a limit, or ask between two moments');
      return collect(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, limit);
    },
    between: (after, before, inc = false, limit) =>
      collect(lower(after, inc, 'after'), upper(before, inc, 'before'), limit),
    after(moment, inc = false) {
      return one(series.occurrences({ from: lower(moment, inc, 'after'), to: Number.POSITIVE_INFINITY, limit: 1 })[0]);
    },
    before: (moment, inc = false) => resultsBackwards(upper(moment, inc, 'before')).next().value ?? null,
    first: () => one(series.first()),
    last() {
      checkEnds('last', 'ask for the one before a moment');
      return one(series.last());
    },
    includes: (moment) => series.slotAt(at(moment, 'moment')) !== undefined,
    count() {
      checkEnds('count', 'count the results between two moments');
      const from = Number.NEGATIVE_INFINITY;
      return bounded(series.occurrences({ from, to: Number.POSITIVE_INFINITY, limit: MOST_RESULTS + 1 })).length;
    },
    forwards,
    // The bound is read at once, so that a fault in it does not wait for the first step.
    backwards: (before, inc = false) => resultsBackwards(endOf(before, inc)),
    [Symbol.iterator]: () => forwards(),
    as: <Other>(form: keyof ResultForms | TemporalClass<Other>) =>
      recurrenceIn(
        definition,
        series,
        typeof form === 'string'
          ? (formNamed(form, definition) as ToResult<never>)
          : (formOfClass(form, definition, series.dtstartMs) as ToResult<never>),
      ),
    toText: (language) => describeRecurrence(lines, language),
    toString: () => [...definition.zoneLines, startLine(start, timeZone), ...lines].join('\n'),
  };
}

function afterMs(position: number): number {
  return Math.floor(position) + 1;
}

function wholeLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 0) return limit;
  throw new RecurrenceError('limit', `${limit} is no whole number from 0`);
}

function bounded(occurrences: readonly Occurrence[]): readonly Occurrence[] {
  if (occurrences.length > MOST_RESULTS) throw tooMany();
  return occurrences;
}

function tooMany(): RecurrenceLimit {
  return new RecurrenceLimit(
    'limit',
    `there are more than ${MOST_RESULTS} results; give a number as the limit, a shorter range, or iterate`,
  );
}

function startLine(start: string, timeZone: string | null): string {
  const stamp = basic(start);
  if (!start.includes('T')) return `DTSTART;VALUE=DATE:${stamp}`;
  if (timeZone === null) return `DTSTART:${stamp}`;
  if (timeZone === 'UTC') return `DTSTART:${stamp}Z`;
  return `DTSTART;TZID=${/[:;,]/.test(timeZone) ? `"${timeZone}"` : timeZone}:${stamp}`;
}
