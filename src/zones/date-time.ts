import { parseWall } from './wall-time.ts';
import { instantOf, wallAt } from './zones.ts';

/** A parsed ISO 8601 text: a wall time, and the offset if the text has one. */
export interface WrittenTime {
  readonly wallMs: number;
  /** Milliseconds east of UTC; undefined when the text has none. */
  readonly offsetMs: number | undefined;
  readonly dateOnly: boolean;
}

const OFFSET = /([+-])(\d\d):?(\d\d)$/;
/** Length of a date; an offset begins after it. */
const DATE_LENGTH = 10;

/** Parses `2026-03-01`, `2026-03-01T09:00[:00[.000]]` and the same with `Z` or `±HH:MM`; undefined for anything else. */
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

/** Adds an offset; undefined for a date alone, which cannot have one. */
function withOffset(text: string, offsetMs: number): WrittenTime | undefined {
  const wall = parseWall(text);
  return wall === undefined || wall.dateOnly ? undefined : { wallMs: wall.wallMs, dateOnly: false, offsetMs };
}

/** Returns the instant of a text; without an offset it is wall time in `zone`. NaN for a malformed text. */
export function instantOfText(text: string, zone: string): number {
  const written = parseDateTime(text);
  if (written === undefined) return Number.NaN;
  return written.offsetMs === undefined ? instantOf(zone, written.wallMs) : written.wallMs - written.offsetMs;
}

/** Returns the wall time of a text as if in UTC. NaN for a malformed text. */
export function wallOfText(text: string): number {
  return parseDateTime(text)?.wallMs ?? Number.NaN;
}

/**
 * Returns the wall time that a text means in a zone: of one that the clocks skip, written with the offset before the gap
 * (`2026-03-08T02:30:00-05:00` in New York), that time itself; else the one of its instant. NaN for a malformed text.
 * @throws RangeError for an unknown zone.
 */
export function nominalWallOf(zone: string, text: string): number {
  const epochMs = instantOfText(text, zone);
  if (Number.isNaN(epochMs)) return epochMs;
  const wallMs = wallOfText(text);
  return instantOf(zone, wallMs) === epochMs ? wallMs : wallAt(zone, epochMs);
}
