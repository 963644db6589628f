import { type Occurrence, RecurrenceError, RecurrenceLimit, type Series } from '../../../src/recurrence/index.ts';
import type { ToResult } from './result-form.ts';

/** A number of results, or a test that ends them: the first value for which it is falsy is left out. */
export type Limit<Value> = number | ((value: Value, index: number) => unknown);

/** Most results of one call without a number as its limit. */
const MOST_RESULTS = 100_000;

/** A half-open range of starts. */
interface Range {
  readonly from: number;
  readonly to: number;
}

export const EVERYTHING: Range = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** @throws RecurrenceLimit for more than 100,000 results, unless the limit is a number */
export function collect<Value>(
  series: Series,
  range: Range,
  limit: Limit<Value> | undefined,
  toResult: ToResult<Value>,
): Value[] {
  if (limit === undefined) return boundedOccurrences(series, range).map(toResult);
  if (typeof limit === 'number') return occurrencesIn(series, range, wholeLimit(limit)).map(toResult);
  const values: Value[] = [];
  for (const occurrence of series.iterate(range)) {
    const value = toResult(occurrence);
    if (!limit(value, values.length)) break;
    if (values.push(value) > MOST_RESULTS) throw tooMany();
  }
  return values;
}

/** @throws RecurrenceLimit for more than 100,000 occurrences */
export function boundedOccurrences(series: Series, range: Range): readonly Occurrence[] {
  const occurrences = occurrencesIn(series, range, MOST_RESULTS + 1);
  if (occurrences.length > MOST_RESULTS) throw tooMany();
  return occurrences;
}

function occurrencesIn(series: Series, { from, to }: Range, limit: number): readonly Occurrence[] {
  return series.occurrences({ from, to, limit });
}

function wholeLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 0) return limit;
  throw new RecurrenceError('limit', `${limit} is no whole number from 0`);
}

function tooMany(): RecurrenceLimit {
  return new RecurrenceLimit(
    'limit',
    `there are more than ${MOST_RESULTS} results; give a number as the limit, a shorter range, or iterate`,
  );
}
