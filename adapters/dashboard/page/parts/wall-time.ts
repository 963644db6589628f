import { formatInstant, formatWall, instantOf, offsetAt, parseWall, wallAt } from 'kalends/zones';

const DAY_MS = 86_400_000;

/** Returns the wall time of an instant in a zone: `2026-03-29T09:00:00`. */
export const wallTextAt = (zone: string, epochMs: number): string => formatWall(wallAt(zone, epochMs));

/** Returns the reading of a wall time in epoch milliseconds, as if the clock showed UTC; a date is its midnight. */
export function wallMsOf(text: string): number {
  const wall = parseWall(text.slice(0, 19));
  if (wall === undefined) throw new RangeError(`not a wall time: ${text}`);
  return wall.wallMs;
}

/** Returns a wall time of a zone as a time of the interface: `2026-03-29T09:00:00+02:00`. */
export function instantText(zone: string, wallMs: number): string {
  return formatInstant(zone, instantOf(zone, wallMs));
}

/** Returns the first day of a week, Monday. */
export const mondayOf = (date: string): string => {
  const ms = wallMsOf(date);
  // 1 January 1970 was a Thursday.
  return dateOf(ms - ((Math.floor(ms / DAY_MS) + 3) % 7) * DAY_MS);
};

export const dateOf = (wallMs: number): string => formatWall(wallMs).slice(0, 10);

export const addDays = (date: string, days: number): string => dateOf(wallMsOf(date) + days * DAY_MS);

/** Returns the same day of another month, or its last day. */
export function addMonths(date: string, months: number): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return dateOf(Date.UTC(year, month - 1 + months, Math.min(day, last)));
}

/** Clocks that change on a day: forward or back, by how much. */
export interface ClockChange {
  readonly date: string;
  /** Wall time before and after the change. */
  readonly from: string;
  readonly to: string;
}

/** Returns the changes of a zone's clocks within days, `end` exclusive. */
export function clockChanges(zone: string, start: string, end: string): readonly ClockChange[] {
  const changes: ClockChange[] = [];
  for (let date = start; date < end; date = addDays(date, 1)) {
    const [begin, next] = [instantOf(zone, wallMsOf(date)), instantOf(zone, wallMsOf(addDays(date, 1)))];
    const at = changeWithin(zone, begin, next);
    if (at === undefined) continue;
    const [from, to] = [at + offsetAt(zone, at - 1), at + offsetAt(zone, at)];
    changes.push({ date, from: formatWall(from).slice(11, 16), to: formatWall(to).slice(11, 16) });
  }
  return changes;
}

/** Returns the instant between two others at which the offset changes, to the minute; undefined where it does not. */
function changeWithin(zone: string, begin: number, end: number): number | undefined {
  const before = offsetAt(zone, begin);
  if (offsetAt(zone, end - 1) === before) return undefined;
  let [low, high] = [begin, end];
  while (high - low > 60_000) {
    const middle = Math.floor((low + high) / 120_000) * 60_000;
    if (offsetAt(zone, middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
