import { ianaToWindows, instantOf, resolveZone, wallAt } from 'kalends/zones';
import { GraphError, propertyFailure } from './api/graph-error.ts';
import type { StoredTime } from './state.ts';

export const DAY_MS = 86_400_000;

/** Names of UTC that Exchange itself writes and that no zone table knows. */
const OWN_NAMES: Readonly<Record<string, string>> = { 'tzone://microsoft/utc': 'Etc/UTC', utc: 'Etc/UTC' };

/**
 * The IANA zone of a Windows or IANA name.
 * @throws GraphError 400 TimeZoneNotSupportedException
 */
export function zoneOf(name: string): string {
  const zone = OWN_NAMES[name.toLowerCase()] ?? resolveZone(name);
  if (zone === undefined) {
    throw new GraphError(
      400,
      'TimeZoneNotSupportedException',
      `A valid TimeZone value must be specified. The following TimeZone value is not supported: '${name}'.`,
    );
  }
  return zone;
}

/** The Windows name of an IANA zone; the IANA name itself where Windows has none. */
export const windowsNameOf = (zone: string): string => ianaToWindows(zone) ?? zone;

export const instantOfTime = (time: StoredTime): number => instantOf(zoneOf(time.timeZone), time.wallMs);

export const wallIn = (zoneName: string, at: number): number => wallAt(zoneOf(zoneName), at);

export const instantIn = (zoneName: string, wallMs: number): number => instantOf(zoneOf(zoneName), wallMs);

/** `YYYY-MM-DDTHH:MM:SS.fffffff`: seven digits, no offset. */
export const formatGraphWall = (wallMs: number): string => `${new Date(wallMs).toISOString().slice(0, 23)}0000`;

/** An instant as `YYYY-MM-DDTHH:MM:SS.fffffffZ`. */
export const formatGraphInstant = (at: number): string => `${formatGraphWall(at)}Z`;

/** An instant without fraction, as `originalStart` is written. */
export const formatSecond = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** A day number (days since 1970-01-01) as `YYYY-MM-DD`. */
export const formatDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

export const dayOf = (wallMs: number): number => Math.floor(wallMs / DAY_MS);

/** The day number of `YYYY-MM-DD`; undefined when there is no such day. */
export function parseDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text ? undefined : at / DAY_MS;
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,7}))?)?(Z|[+-]\d\d:\d\d)?)?$/;

interface DateTimeText {
  readonly wallMs: number;
  /** Minutes east of UTC when the text has an offset. */
  readonly offset: number | null;
}

function parseDateTime(text: string): DateTimeText | undefined {
  const match = DATE_TIME.exec(text);
  const day = match ? parseDay(match[1] ?? '') : undefined;
  if (!match || day === undefined) return undefined;
  const [hour, minute, second] = [Number(match[2] ?? 0), Number(match[3] ?? 0), Number(match[4] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const fraction = Math.floor(Number(`0.${match[5] ?? 0}`) * 1000);
  const wallMs = day * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  return { wallMs, offset: match[6] === undefined ? null : offsetMinutes(match[6]) };
}

function offsetMinutes(text: string): number {
  if (text === 'Z') return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4, 6));
  return text.startsWith('-') ? -minutes : minutes;
}

/**
 * A dateTimeTimeZone of a request. Without a zone it is UTC; an offset in the text makes it that instant, told in the
 * zone.
 * @throws GraphError 400 for a malformed time or unknown zone
 */
export function readGraphTime(
  input: { readonly dateTime: string; readonly timeZone?: string | null | undefined },
  property: string,
): StoredTime {
  const timeZone = input.timeZone ?? 'UTC';
  const zone = zoneOf(timeZone);
  const parsed = parseDateTime(input.dateTime);
  if (!parsed) throw propertyFailure(`At least one property failed validation. Properties: ${property}/dateTime`);
  if (parsed.offset === null) return { wallMs: parsed.wallMs, timeZone };
  return { wallMs: wallAt(zone, parsed.wallMs - parsed.offset * 60_000), timeZone };
}

/**
 * An instant of a query parameter: ISO 8601, UTC when it has no offset.
 * @throws GraphError 400 when absent, empty or malformed
 */
export function readQueryInstant(text: string | null, name: string): number {
  const parsed = text === null ? undefined : parseDateTime(text);
  if (!parsed) {
    throw new GraphError(
      400,
      'ErrorInvalidParameter',
      text === null
        ? `This request requires a time window specified by the query string parameters StartDateTime and EndDateTime; ${name} is missing.`
        : `The value '${text}' of parameter '${name}' is invalid.`,
    );
  }
  return parsed.wallMs - (parsed.offset ?? 0) * 60_000;
}
