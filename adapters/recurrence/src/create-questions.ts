import { type Occurrence, RecurrenceError, type Series } from '../../../src/recurrence/index.ts';
import { boundedOccurrences, collect, EVERYTHING, type Limit } from './collect.ts';
import { type Moment, readMoment } from './moment.ts';
import { readBackwards } from './read-backwards.ts';
import type { ToResult } from './result-form.ts';
import { positionOf, type TimeFrame } from './time-frame.ts';

/** Questions to a recurrence. Their bounds are moments, exclusive unless `inc` is true. */
export interface Questions<Value> extends Iterable<Value> {
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
}

/** Creates the questions to a series, with answers of one form. */
export function createQuestions<Value>(series: Series, frame: TimeFrame, toResult: ToResult<Value>): Questions<Value> {
  const { lower, upper, at } = boundsIn(frame);
  const one = (occurrence: Occurrence | null | undefined) => (occurrence ? toResult(occurrence) : null);

  function checkEnds(part: string, instead: string): void {
    if (!series.isFinite) throw new RecurrenceError(part, `the recurrence does not end; ${instead}`);
  }

  function endOf(before: Moment | undefined, inc: boolean): number {
    if (before !== undefined) return upper(before, inc, 'before');
    checkEnds('backwards', 'give the moment to start from');
    const last = series.last();
    return last ? last.startMs + 1 : Number.NEGATIVE_INFINITY;
  }

  // Bounds are read before the generator, so that a fault in them does not wait for the first step.
  function forwards(after?: Moment, inc = false): Generator<Value, void, undefined> {
    const from = after === undefined ? EVERYTHING.from : lower(after, inc, 'after');
    return results(series.iterate({ ...EVERYTHING, from }), toResult);
  }

  return {
    all(limit) {
      if (limit === undefined) checkEnds('all', 'give a limit, or ask between two moments');
      return collect(series, EVERYTHING, limit, toResult);
    },
    between(after, before, inc = false, limit) {
      const range = { from: lower(after, inc, 'after'), to: upper(before, inc, 'before') };
      return collect(series, range, limit, toResult);
    },
    after(moment, inc = false) {
      return one(series.occurrences({ ...EVERYTHING, from: lower(moment, inc, 'after'), limit: 1 })[0]);
    },
    before: (moment, inc = false) => one(readBackwards(series, upper(moment, inc, 'before')).next().value),
    first: () => one(series.first()),
    last() {
      checkEnds('last', 'ask for the one before a moment');
      return one(series.last());
    },
    includes: (moment) => series.slotAt(at(moment, 'moment')) !== undefined,
    count() {
      checkEnds('count', 'count the results between two moments');
      return boundedOccurrences(series, EVERYTHING).length;
    },
    forwards,
    backwards: (before, inc = false) => results(readBackwards(series, endOf(before, inc)), toResult),
    [Symbol.iterator]: () => forwards(),
  };
}

/** Bounds of half-open ranges: `lower` begins one after a moment, `upper` ends one before it, unless `inc` is true. */
function boundsIn(frame: TimeFrame) {
  const at = (moment: Moment, part: string) => positionOf(readMoment(moment, part), frame, part);
  const here = (moment: Moment, part: string) => Math.ceil(at(moment, part));
  const next = (moment: Moment, part: string) => Math.floor(at(moment, part)) + 1;
  return {
    at,
    lower: (moment: Moment, inc: boolean, part: string) => (inc ? here(moment, part) : next(moment, part)),
    upper: (moment: Moment, inc: boolean, part: string) => (inc ? next(moment, part) : here(moment, part)),
  };
}

function* results<Value>(
  occurrences: Iterable<Occurrence>,
  toResult: ToResult<Value>,
): Generator<Value, void, undefined> {
  for (const occurrence of occurrences) yield toResult(occurrence);
}
