import { addDays, addMonths, mondayOf } from '../../parts/wall-time.ts';

export type CalendarView = 'week' | 'month' | 'agenda';

/** The days that a view shows, `end` exclusive. */
export interface Period {
  readonly start: string;
  readonly end: string;
}

const AGENDA_DAYS = 14;

/** Returns the days that a view shows around a date; a month with the rest of its weeks. */
export function periodOf(view: CalendarView, date: string): Period {
  if (view === 'agenda') return { start: date, end: addDays(date, AGENDA_DAYS) };
  if (view === 'week') return { start: mondayOf(date), end: addDays(mondayOf(date), 7) };
  const first = `${date.slice(0, 7)}-01`;
  const last = addDays(addMonths(first, 1), -1);
  return { start: mondayOf(first), end: addDays(mondayOf(last), 7) };
}

/** Returns the date one period later, or earlier for -1. */
export function moved(view: CalendarView, date: string, by: 1 | -1): string {
  return view === 'month'
    ? addMonths(`${date.slice(0, 7)}-01`, by)
    : addDays(date, by * (view === 'week' ? 7 : AGENDA_DAYS));
}

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options });
const DAY = format({ day: 'numeric', month: 'short', year: 'numeric' });
const MONTH = format({ month: 'long', year: 'numeric' });

/** Returns a period's name: `23 – 29 Mar 2026`, `March 2026`. */
export function periodTitle(view: CalendarView, date: string, { start, end }: Period): string {
  if (view === 'month') return MONTH.format(Date.parse(date));
  return DAY.formatRange(Date.parse(start), Date.parse(addDays(end, -1)));
}
