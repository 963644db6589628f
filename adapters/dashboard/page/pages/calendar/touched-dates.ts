import type { CalendarEvent } from 'kalends/model';
import { calendarTexts } from '../../texts/en/calendar.ts';

const texts = calendarTexts.scope;
const NAMED = 4;
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });

const whole = (day: number) => `${DAY.format(day)} ${new Date(day).getUTCFullYear()}`;

/** Returns the original start of an occurrence as an instant; of an all-day one, midnight in UTC. */
export function originalStartOf({ originalStart, start }: CalendarEvent): number {
  if (originalStart === undefined) return Date.parse(start.dateTime);
  return Date.parse('date' in originalStart ? originalStart.date : originalStart.dateTime);
}

/** Returns the days of occurrences in words: the first four, how many more, and the last. */
export function touchedDates(occurrences: readonly CalendarEvent[], hasMore: boolean): string {
  if (occurrences.length === 0) return texts.none;
  // The wall-clock day of the event's own zone, which its text has.
  const days = occurrences.map(({ start }) => Date.parse(start.dateTime.slice(0, 10)));
  const named = days
    .slice(0, NAMED)
    .map((day, index) => (index === 0 ? whole(day) : DAY.format(day)))
    .join(', ');
  const last = days.at(-1) ?? 0;
  if (hasMore) return texts.dates(named, texts.moreEndless);
  const rest = days.length - NAMED;
  return texts.dates(named, rest > 0 ? texts.moreUntil(String(rest), whole(last)) : '');
}
