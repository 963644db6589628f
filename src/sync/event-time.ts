import { instantOf, parseWall } from '../zones/index.ts';

/** What an ISO 8601 text says: a wall time, and the offset that it was written with, if any. */
export interface WrittenTime {
  readonly wallMs: number;
  /** Milliseconds east of UTC; undefined when the text has none. */
  readonly offsetMs: number | undefined;
  readonly dateOnly: boolean;
}

const OFFSET = /(?:([Zz])|([+-])(\d\d):?(\d\d))$/;

/** Reads `2026-03-01`, `2026-03-01T09:00[:00[.000]]` and the same with `Z` or `±HH:MM`; undefined for anything else. */
export function parseDateTime(text: string): WrittenTime | undefined {
  const match = text.length > 10 ? OFFSET.exec(text) : null;
  const wall = parseWall(match === null ? text : text.slice(0, match.index));
  if (wall === undefined) return undefined;
  if (match === null) return { ...wall, offsetMs: undefined };
  if (wall.dateOnly) return undefined;
  if (match[1] !== undefined) return { ...wall, offsetMs: 0 };
  const hours = Number(match[3]);
  const minutes = Number(match[4]);
  if (hours > 23 || minutes > 59) return undefined;
  return { ...wall, offsetMs: (match[2] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000 };
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
