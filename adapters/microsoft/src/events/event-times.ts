import { ProviderError, type RecurrenceId, requireExpressible } from 'kalends/ports';
import { DAY_MS, formatDate, formatInstant, formatWall, instantOf, parseWall, wallAt } from 'kalends/zones';
import type { WireTime } from './event-wire.ts';
import { readZone, sentZone, type ZoneNaming } from './event-zones.ts';

/** A point in time in the model's form. */
interface NeutralTime {
  readonly dateTime: string;
  readonly timeZone: string;
}

function wallOf(text: string): number {
  const wall = parseWall(text.replace(/Z$/, ''));
  return requireExpressible('dateTime', wall?.wallMs ?? Number.NaN);
}

/** Returns the instant of a Graph time; without a zone it is UTC. @throws ProviderError unreadable */
export function instantOfWire(time: WireTime, fallbackZone: string): number {
  const zone = readZone(time.timeZone ?? 'UTC') ?? fallbackZone;
  return requireExpressible('dateTime', instantOf(zone, wallOf(time.dateTime)));
}

/** Returns the instant of an ISO text of Graph in UTC, such as `originalStart`. @throws ProviderError unreadable */
export function instantOfText(text: string): number {
  return requireExpressible('date-time', parseText(text));
}

/** Returns the instant of a timestamp, which no mapping depends on; undefined for one that cannot be read. */
export function instantOfTimestamp(text: string | null | undefined): number | undefined {
  const at = text ? parseText(text) : Number.NaN;
  return Number.isNaN(at) || !/^\d{4}-/.test(new Date(at).toISOString()) ? undefined : at;
}

function parseText(text: string): number {
  return Date.parse(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
}

/** Maps a timed point into its zone. */
export function readTimed(time: WireTime, zone: string, fallbackZone: string): NeutralTime {
  return { dateTime: formatInstant(zone, instantOfWire(time, fallbackZone)), timeZone: zone };
}

/**
 * Maps an all-day point. Graph sends floating midnights under any zone label: only the date counts. An end not after its start
 * is that of one day.
 */
export function readAllDay(time: WireTime, start?: WireTime): NeutralTime {
  const date = dateOfWire(time);
  if (start === undefined || date > dateOfWire(start)) return { dateTime: `${date}T00:00:00`, timeZone: '' };
  return {
    dateTime: `${formatDate(requireExpressible('dateTime', wallOf(start.dateTime) + DAY_MS))}T00:00:00`,
    timeZone: '',
  };
}

/** Returns the date of an all-day point. */
export function dateOfWire(time: WireTime): string {
  return formatDate(wallOf(time.dateTime));
}

/**
 * Returns the date of an all-day slot from its `originalStart`, an instant: midnight in the zone of the series' creation.
 * Where that zone is unknown or the instant is no midnight in it, of the two midnights of UTC around it the only one at which
 * the series has a slot, else the nearest one.
 */
export function dateOfSlot(
  at: number,
  zones: readonly (string | undefined)[],
  hasSlot: (midnightMs: number) => boolean = () => false,
): string {
  for (const zone of zones) {
    if (zone === undefined) continue;
    const wall = wallAt(zone, at);
    if (wall % DAY_MS === 0) return formatDate(wall);
  }
  const days = at / DAY_MS;
  const [only, other] = [Math.floor(days) * DAY_MS, Math.ceil(days) * DAY_MS].filter(hasSlot);
  return formatDate(only !== undefined && other === undefined ? only : Math.round(days) * DAY_MS);
}

/** A point to send, and its zone name on the wire. */
export interface SentTime {
  readonly wire: { readonly dateTime: string; readonly timeZone: string };
  readonly sentAs: string;
}

/**
 * Returns a timed point in Graph's form: wall time in its zone. The second reading of an ambiguous time and a zone unknown to
 * Windows can only be sent in UTC; a property records the zone.
 * @throws ProviderError invalid for a text that is no date-time, or no zone
 */
export function writeTimed(point: NeutralTime, field: string, naming: ZoneNaming): SentTime {
  const zone = readZone(point.timeZone);
  const sentAs = sentZone(point.timeZone, naming);
  if (zone === undefined) throw new ProviderError('invalid', `"${point.timeZone}" is no time zone`, { field });
  const at = instantOfNeutral(point, zone, field);
  const wall = wallAt(zone, at);
  if (sentAs === undefined || instantOf(zone, wall) !== at)
    return { wire: { dateTime: formatWall(at), timeZone: 'UTC' }, sentAs: 'UTC' };
  return { wire: { dateTime: formatWall(wall), timeZone: sentAs }, sentAs };
}

/** Returns an all-day point in Graph's form: midnight in the zone of its series or calendar, in which Outlook shows it. */
export function writeAllDay(point: NeutralTime, zone: string, field: string, naming: ZoneNaming): SentTime {
  const wall = parseWall(point.dateTime.slice(0, 10));
  if (wall === undefined) throw new ProviderError('invalid', 'an all-day point must begin with a date', { field });
  const sentAs = sentZone(zone, naming) ?? 'UTC';
  return { wire: { dateTime: formatWall(wall.wallMs), timeZone: sentAs }, sentAs };
}

/** Returns the instant of a point. @throws ProviderError invalid */
function instantOfNeutral(point: NeutralTime, zone: string, field: string): number {
  if (/(Z|[+-]\d\d:\d\d)$/.test(point.dateTime)) {
    const at = Date.parse(point.dateTime);
    if (!Number.isNaN(at)) return at;
  }
  const wall = parseWall(point.dateTime);
  if (wall === undefined) throw new ProviderError('invalid', 'is no ISO 8601 date-time', { field });
  return instantOf(zone, wall.wallMs);
}

/** Returns true when two slots of one series are the same. */
export function isSameSlot(left: RecurrenceId, right: RecurrenceId): boolean {
  if (left.kind === 'date') return right.kind === 'date' && left.date === right.date;
  return right.kind === 'instant' && left.startMs === right.startMs;
}
