import { instantOf, parseWall } from '../zones/index.ts';

/** What an ISO 8601 text says: a wall time, and the offset that it was written with, if any. */
export interface WrittenTime {
  readonly wallMs: number;
  /** Milliseconds east of UTC; undefined when the text has none. */
  readonly offsetMs: number | undefined;
  readonly dateOnly: boolean;
}

const OFFSET = /([+-])(\d\d):?(\d\d)$/;
/** Characters of a date: no offset begins in them. */
const DATE_LENGTH = 10;

/** Reads `2026-03-01`, `2026-03-01T09:00[:00[.000]]` and the same with `Z` or `±HH:MM`; undefined for anything else. */
export function parseDateTime(text: string): WrittenTime | undefined {
  if (text.length <= DATE_LENGTH) return parseLocal(text);
  if (text.endsWith('Z') || text.endsWith('z')) return withOffset(text.slice(0, -1), 0);
  const match = OFFSET.exec(text.slice(DATE_LENGTH));
  if (match === null) return parseLocal(text);
  const hours = Number(match[2]);
  const minutes = Number(match[3]);
  if (hours > 23 || minutes > 59) return undefined;
  const sign = match[1] === '-' ? -1 : 1;
  return withOffset(text.slice(0, DATE_LENGTH + match.index), sign * (hours * 60 + minutes) * 60_000);
}

function parseLocal(text: string): WrittenTime | undefined {
  const wall = parseWall(text);
  return wall === undefined ? undefined : { wallMs: wall.wallMs, dateOnly: wall.dateOnly, offsetMs: undefined };
}

/** A date alone has no offset. */
function withOffset(text: string, offsetMs: number): WrittenTime | undefined {
  const wall = parseWall(text);
  return wall === undefined || wall.dateOnly ? undefined : { wallMs: wall.wallMs, dateOnly: false, offsetMs };
}

/** The instant of a stored point; without an offset it is wall time in `zone`. NaN for a malformed text. */
export function instantOfText(text: string, zone: string): number {
  const written = parseDateTime(text);
  if (written === undefined) return Number.NaN;
  return written.offsetMs === undefined ? instantOf(zone, written.wallMs) : written.wallMs - written.offsetMs;
}

/** The wall time of a stored point as if in UTC. NaN for a malformed text. */
export function wallOfText(text: string): number {
  return parseDateTime(text)?.wallMs ?? Number.NaN;
}
