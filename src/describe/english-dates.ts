import type { RecurrenceDate, RecurrenceTime } from '../recurrence/index.ts';
import { formatWall } from '../zones/index.ts';
import { list, MONTHS } from './english-words.ts';

/** Dates that are listed one by one. */
const MOST_DATES = 20;
const MINUTE_MS = 60_000;

/** Returns `March 2, 2026 at 09:00 UTC`, without a time for dates. */
export function englishTime({ form, wallMs, tzid }: RecurrenceTime): string {
  const [date = '', clock = ''] = formatWall(wallMs).split('T');
  const [year, month, day] = date.split('-').map(Number);
  const words = `${MONTHS[(month ?? 1) - 1]} ${day}, ${year}`;
  if (form === 'date') return words;
  const time = clock.endsWith(':00') ? clock.slice(0, 5) : clock;
  const zone = form === 'utc' ? ' UTC' : form === 'zoned' ? ` (${tzid})` : '';
  return `${words} at ${time}${zone}`;
}

/** Lists dates in their order; of many, the first ones and the number of the others. */
export function englishDates(dates: readonly RecurrenceDate[]): string {
  const words = dates.slice(0, MOST_DATES).map(englishDate);
  const others = dates.length - words.length;
  return others === 0 ? list(words, 'and') : `${words.join(', ')} and ${others} more`;
}

function englishDate({ time, end, durationMs }: RecurrenceDate): string {
  if (end !== undefined) return `${englishTime(time)} to ${englishTime(end)}`;
  if (durationMs === undefined) return englishTime(time);
  return `${englishTime(time)} for ${durationMs / MINUTE_MS} minutes`;
}
