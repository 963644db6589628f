import type { CalendarEvent } from 'kalends/model';
import { instantOf } from 'kalends/zones';
import { addDays, wallMsOf } from '../../parts/wall-time.ts';
import type { NewTimes } from './event-draft.ts';

const format = (zone: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options });
const DATE = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', hour12: false } as const;

/** Returns the zone as a reader knows it: `GMT+1 (Europe/Rome)`. */
function zoneAt(zone: string, at: number): string {
  const name = format(zone, { timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return zone === 'UTC' || name === undefined ? zone : `${name} (${zone})`;
}

/** Returns the times of an event in a zone: `Sun, 29 Mar 2026, 01:30 – 03:30 GMT+1 (Europe/Rome)`. */
export function eventTimes({ start, end, isAllDay }: CalendarEvent, zone: string): string {
  if (isAllDay) {
    const last = addDays(end.dateTime.slice(0, 10), -1);
    return format('UTC', DATE).formatRange(Date.parse(start.dateTime.slice(0, 10)), Date.parse(last));
  }
  const [from, to] = [Date.parse(start.dateTime), Date.parse(end.dateTime)];
  const [day, lastDay] = [format(zone, DATE).format(from), format(zone, DATE).format(to)];
  const [begin, finish] = [format(zone, CLOCK).format(from), format(zone, CLOCK).format(to)];
  const [zoneFrom, zoneTo] = [zoneAt(zone, from), zoneAt(zone, to)];
  // Across a clock change both ends name their offset: else the length would be misread.
  const opening = `${day}, ${begin}${zoneFrom === zoneTo ? '' : ` ${zoneFrom.split(' ')[0]}`}`;
  return `${opening} – ${day === lastDay ? '' : `${lastDay}, `}${finish} ${zoneTo}`;
}

/** Returns when an occurrence would be by its series. */
export function originalTime({ originalStart, start }: CalendarEvent, zone: string): string {
  const original = originalStart ?? start;
  if ('date' in original) return format('UTC', DATE).format(Date.parse(original.date));
  const at = Date.parse(original.dateTime);
  return `${format(zone, { ...DATE, ...CLOCK }).format(at)} ${zoneAt(zone, at)}`;
}

/** Returns new times in words, in the zone that they are wall time of. */
export function movedTimes({ start, end, isAllDay }: NewTimes, zone: string): string {
  if (isAllDay) return format('UTC', DATE).formatRange(Date.parse(start), Date.parse(addDays(end, -1)));
  const [from, to] = [instantOf(zone, wallMsOf(start)), instantOf(zone, wallMsOf(end))];
  const day = (at: number) => format(zone, DATE).format(at);
  const clock = (at: number) => format(zone, CLOCK).format(at);
  return `${day(from)}, ${clock(from)} – ${day(from) === day(to) ? '' : `${day(to)}, `}${clock(to)} ${zoneAt(zone, to)}`;
}
