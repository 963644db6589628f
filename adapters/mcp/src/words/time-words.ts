import type { CalendarEvent, EventDateTime } from 'kalends/model';
import {
  DAY_MS,
  formatDate,
  formatInstant,
  formatOffset,
  formatWall,
  instantOfText,
  parseDateTime,
  weekdayOf,
} from 'kalends/zones';

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Returns `Tuesday` for the wall time of a day, as if in UTC. */
export function weekdayName(wallMs: number): (typeof WEEKDAYS)[number] {
  return WEEKDAYS[weekdayOf(Math.floor(wallMs / DAY_MS))] ?? 'Monday';
}

/** Returns `Tuesday 3 March 2026` for a wall time, as if in UTC. */
export function dayWords(wallMs: number): string {
  const [year, month, day] = formatDate(wallMs).split('-').map(Number);
  return `${weekdayName(wallMs)} ${day} ${MONTHS[(month ?? 1) - 1]} ${year}`;
}

/** Returns `09:00`, with seconds where there are any. */
export function clockWords(wallMs: number): string {
  const clock = formatWall(wallMs).slice(11);
  return clock.endsWith(':00') ? clock.slice(0, 5) : clock;
}

/** Returns `Tuesday 3 March 2026, 09:00 (Europe/London, UTC+00:00)` for an instant. */
export function instantWords(instantMs: number, zone: string): string {
  return pointWords(formatInstant(zone, instantMs), zone);
}

/** Returns the words of a date-time as the engine shows it. */
export function pointWords(dateTime: string, zone: string): string {
  const written = parseDateTime(dateTime);
  if (written === undefined) return 'an unknown time';
  return `${dayWords(written.wallMs)}, ${clockWords(written.wallMs)} (${zoneWords(zone, written.offsetMs)})`;
}

function zoneWords(zone: string, offsetMs: number | undefined): string {
  return offsetMs === undefined ? zone : `${zone}, UTC${formatOffset(offsetMs)}`;
}

/** Start and end of an event. */
export type EventTimes = Pick<CalendarEvent, 'start' | 'end' | 'isAllDay'>;

/** Returns the wall time of a date-time that the engine shows, as if in UTC. */
export function wallOf({ dateTime }: EventDateTime): number {
  return parseDateTime(dateTime)?.wallMs ?? Number.NaN;
}

/** Returns `Tuesday 3 March 2026, 09:00–09:15 (Europe/London, UTC+00:00)`, or days for an all-day event. */
export function timesWords({ isAllDay, ...times }: EventTimes): string {
  if (isAllDay) return daysWords(wallOf(times.start), wallOf(times.end));
  const [start, end] = [clockPoint(times.start), clockPoint(times.end)];
  const [from, to] = [wallOf(start), wallOf(end)];
  const zone = zoneWords(start.timeZone, parseDateTime(start.dateTime)?.offsetMs);
  if (end.timeZone !== start.timeZone) {
    return `${pointWords(start.dateTime, start.timeZone)} to ${pointWords(end.dateTime, end.timeZone)}`;
  }
  const sameDay = Math.floor(from / DAY_MS) === Math.floor(to / DAY_MS);
  const until = sameDay ? clockWords(to) : `${dayWords(to)}, ${clockWords(to)}`;
  return `${dayWords(from)}, ${clockWords(from)}${sameDay ? '–' : ' to '}${until} (${zone})`;
}

/** Returns a time as the clocks show it: a series may have one that they skip. */
function clockPoint({ dateTime, timeZone }: EventDateTime): EventDateTime {
  return { dateTime: formatInstant(timeZone, instantOfText(dateTime, timeZone)), timeZone };
}

/** Returns the words of whole days from `from` up to `to`, exclusive. */
function daysWords(from: number, to: number): string {
  const days = Math.round((to - from) / DAY_MS);
  if (days <= 1) return `${dayWords(from)}, all day`;
  return `${dayWords(from)} to ${dayWords(to - DAY_MS)}, all day (${days} days, the last one included)`;
}
