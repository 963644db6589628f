import { compileSeries, type SeriesDefinition } from 'kalends/recurrence';
import { formatDate, formatInstant, formatWall } from 'kalends/zones';

/** The first starts of a series as text: with offset in a zone, local when floating, dates when all-day. */
export function startsOf(definition: SeriesDefinition, limit = 10): readonly string[] {
  const series = compileSeries(definition);
  const all = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, limit };
  return series.occurrences(all).map(({ startMs }) => {
    if (series.isAllDay) return formatDate(startMs);
    return series.timeZone === null ? formatWall(startMs) : formatInstant(series.timeZone, startMs);
  });
}

/** The first starts of a floating series. */
export function floating(dtstart: string, lines: readonly string[], limit = 10): readonly string[] {
  return startsOf({ dtstart, timeZone: null, lines }, limit);
}
