import type { EventDateTime } from '../../model/index.ts';
import type { EventContent, RecurrenceId } from '../../ports/index.ts';
import { formatDate, formatWall, instantOf, nominalWallOf, parseWall, wallAt } from '../../zones/index.ts';
import { compact, isUtc } from '../read/recurrence-lines.ts';
import { type IcsComponent, propertyOf } from '../text/component.ts';
import { type IcsProperty, writeContentLine } from '../text/content-line.ts';

/** Spells a zone as a TZID: the text of a resource may have its own name for it. Undefined writes a floating time. */
export type TzidOf = (zone: string) => string | undefined;

/** Returns whether a component starts at a floating time: a time without a zone, and not in UTC (RFC 5545 §3.3.5). */
export function isFloating(component: IcsComponent): boolean {
  const start = propertyOf(component, 'dtstart');
  return /^\d{8}T\d+$/i.test(start?.raw.trim() ?? '') && !start?.parameters['tzid'];
}

/** Spells zones as the start of a series does: the slots and dates of a floating one float too (RFC 5545 §3.8.4.4). */
export function tzidsLikeStart(series: IcsComponent, calendarZone: string, tzidOf: TzidOf): TzidOf {
  return isFloating(series) ? (zone) => (zone === calendarZone ? undefined : tzidOf(zone)) : tzidOf;
}

/** Writes DTSTART and DTEND of an event. */
export function writeSpan(
  { start, end, isAllDay }: Pick<EventContent, 'start' | 'end' | 'isAllDay'>,
  tzidOf: TzidOf,
): readonly [start: IcsProperty, end: IcsProperty] {
  if (isAllDay) {
    return [writeDate('DTSTART', start.dateTime.slice(0, 10)), writeDate('DTEND', end.dateTime.slice(0, 10))];
  }
  const startMs = instantOfTime(start);
  const startWallMs = nominalWallOf(start.timeZone, start.dateTime);
  // A start that the clocks skip has taken the end along.
  const lateMs = wallAt(start.timeZone, startMs) - startWallMs;
  const endWallMs = nominalWallOf(end.timeZone, end.dateTime) - lateMs;
  const endMs = lateMs === 0 ? instantOfTime(end) : instantOf(end.timeZone, endWallMs);
  return [
    writeInstant('DTSTART', startMs, start.timeZone, tzidOf, startWallMs),
    writeInstant('DTEND', endMs, end.timeZone, tzidOf, endWallMs),
  ];
}

/**
 * Writes an instant in a zone, whose wall time of it may be one that the clocks skip. A local time that means another instant, the
 * second of an ambiguous one, is written in UTC.
 */
function writeInstant(
  name: string,
  epochMs: number,
  zone: string,
  tzidOf: TzidOf,
  wallMs = wallAt(zone, epochMs),
): IcsProperty {
  const tzid = tzidOf(zone);
  const isLocal = instantOf(zone, wallMs) === epochMs && (tzid === undefined || !isUtc(zone));
  if (!isLocal) return writeContentLine(name, `${compact(epochMs)}Z`);
  return writeContentLine(name, compact(wallMs), { TZID: tzid });
}

function writeDate(name: string, date: string): IcsProperty {
  return writeContentLine(name, date.replaceAll('-', ''), { VALUE: 'DATE' });
}

/** Writes a slot of a series in the form of its start. */
export function writeSlot(name: string, slot: RecurrenceId, zone: string, tzidOf: TzidOf): IcsProperty {
  return slot.kind === 'date' ? writeDate(name, slot.date) : writeInstant(name, slot.startMs, zone, tzidOf);
}

/** Returns the instant of a start or end; of an all-day one its midnight as if in UTC. */
export function instantOfTime({ dateTime, timeZone }: EventDateTime): number {
  const wall = parseWall(dateTime);
  if (wall === undefined) return Date.parse(dateTime);
  return timeZone === '' ? wall.wallMs : instantOf(timeZone, wall.wallMs);
}

/** Returns a start as wall time: `YYYY-MM-DDTHH:MM:SS`, or `YYYY-MM-DD` if all-day. */
export function wallOfStart(start: EventDateTime, isAllDay: boolean): string {
  if (isAllDay) return start.dateTime.slice(0, 10);
  return formatWall(nominalWallOf(start.timeZone, start.dateTime));
}

/** `20260301T090000Z` of an instant. */
export function utcStamp(epochMs: number): string {
  return `${compact(epochMs)}Z`;
}

/** Returns the date some days after another. */
export function daysAfter(date: string, ms: number): string {
  return formatDate((parseWall(date)?.wallMs ?? Number.NaN) + ms);
}
