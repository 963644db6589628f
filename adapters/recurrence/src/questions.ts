import type { Limit } from './collect.ts';
import type { Moment } from './moment.ts';

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
