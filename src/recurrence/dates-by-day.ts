import { DAY_MS } from '../zones/index.ts';
import type { Occurrence } from './occurrence.ts';
import type { RecurrenceDate } from './recurrence-rule.ts';
import { dateOccurrence, type SeriesContext } from './series-context.ts';

/** Listed dates (RDATE, EXDATE) as occurrences. A date is resolved on the first query of a day near it. */
export interface DatesByDay {
  /** Returns the occurrences that start on a UTC day, ascending, each start once; the first of equal ones counts. */
  startingOn(day: number): readonly Occurrence[];
  /** Returns the first day from `day` on that may have occurrences, or infinity. */
  nextDay(day: number): number;
}

/**
 * Groups dates by their written day without resolving zones. No zone is a whole day away from UTC, so dates that start on
 * a day are written for that day, the day before, or the day after.
 */
export function createDatesByDay(context: SeriesContext, dates: readonly RecurrenceDate[]): DatesByDay {
  const sorted = isAscending(dates) ? dates : [...dates].sort((a, b) => a.time.wallMs - b.time.wallMs);
  const places = sorted === dates ? undefined : new Map(dates.map((date, place) => [date, place]));
  const known = new Map<number, readonly Occurrence[]>();
  let latestDay = Number.NaN;
  let latest: readonly Occurrence[] = [];

  function resolveNear(day: number): readonly Occurrence[] {
    const from = indexFrom(sorted, (day - 1) * DAY_MS);
    const near = sorted.slice(from, indexFrom(sorted, (day + 2) * DAY_MS));
    if (places !== undefined) near.sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
    return near
      .map((date) => dateOccurrence(context, date))
      .filter(({ startMs }) => Math.floor(startMs / DAY_MS) === day)
      .sort((a, b) => a.startMs - b.startMs)
      .filter(({ startMs }, index, all) => index === 0 || startMs !== all[index - 1]!.startMs);
  }

  return {
    startingOn(day) {
      if (day !== latestDay) {
        latest = known.get(day) ?? resolveNear(day);
        latestDay = day;
        // Only days with dates are cached: empty days are unlimited in number and cheap to compute.
        if (latest.length > 0) known.set(day, latest);
      }
      return latest;
    },
    nextDay(day) {
      const next = sorted[indexFrom(sorted, (day - 1) * DAY_MS)];
      return next === undefined ? Number.POSITIVE_INFINITY : Math.max(day, Math.floor(next.time.wallMs / DAY_MS) - 1);
    },
  };
}

function isAscending(dates: readonly RecurrenceDate[]): boolean {
  return dates.every(({ time }, index) => index === 0 || dates[index - 1]!.time.wallMs <= time.wallMs);
}

function indexFrom(sorted: readonly RecurrenceDate[], wallMs: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.time.wallMs < wallMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
