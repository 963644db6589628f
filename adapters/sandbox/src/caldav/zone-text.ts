import { DAY_MS, formatOffset, offsetAt, weekdayOf } from 'kalends/zones';

const HOUR_MS = 3_600_000;
const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

interface Turn {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Prints the VTIMEZONE of an IANA zone, with its rule of the given year for each half, or its one offset. */
export function zoneText(timeZone: string, year: number): string {
  const turns = turnsOf(timeZone, year);
  const start = offsetAt(timeZone, Date.UTC(year, 0, 1));
  const parts =
    turns.length === 2
      ? turns.map(yearly)
      : [observance('STANDARD', { from: start, to: start, wall: Date.UTC(1970, 0, 1) })];
  return ['BEGIN:VTIMEZONE', `TZID:${timeZone}`, ...parts, 'END:VTIMEZONE'].join('\r\n');
}

/** Finds the changes of offset in a year, to the second. */
function turnsOf(timeZone: string, year: number): readonly Turn[] {
  const turns: Turn[] = [];
  for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += DAY_MS) {
    const [from, to] = [offsetAt(timeZone, day), offsetAt(timeZone, day + DAY_MS)];
    if (from === to) continue;
    let at = day;
    while (offsetAt(timeZone, at) === from) at += HOUR_MS / 4;
    turns.push({ at, from, to });
  }
  return turns;
}

/** A rule of the form "last Sunday of March" or "second Sunday of March". */
function yearly({ at, from, to }: Turn): string {
  const wall = at + from;
  const date = new Date(wall);
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const isLast = date.getUTCDate() + 7 > days;
  const place = isLast ? -1 : Math.ceil(date.getUTCDate() / 7);
  const weekday = weekdayOf(Math.floor(wall / DAY_MS));
  const rule = `FREQ=YEARLY;BYMONTH=${date.getUTCMonth() + 1};BYDAY=${place}${DAYS[weekday]}`;
  const first = firstDay(date.getUTCMonth(), place, weekday) + (((wall % DAY_MS) + DAY_MS) % DAY_MS);
  return observance(to > from ? 'DAYLIGHT' : 'STANDARD', { from, to, wall: first, rule });
}

/** Returns the day of 1970 with that place among the weekdays of its month. */
function firstDay(month: number, place: number, weekday: number): number {
  const days = Array.from({ length: 31 }, (_, index) => Date.UTC(1970, month, index + 1));
  const matches = days.filter((day) => new Date(day).getUTCMonth() === month && weekdayOf(day / DAY_MS) === weekday);
  return matches.at(place === -1 ? -1 : place - 1) ?? Date.UTC(1970, month, 1);
}

function observance(
  name: 'STANDARD' | 'DAYLIGHT',
  {
    from,
    to,
    wall,
    rule,
  }: { readonly from: number; readonly to: number; readonly wall: number; readonly rule?: string },
): string {
  const offset = (ms: number): string => formatOffset(ms).replace(':', '');
  return [
    `BEGIN:${name}`,
    `DTSTART:${new Date(wall).toISOString().replaceAll(/[-:]|\.\d+Z/g, '')}`,
    `TZOFFSETFROM:${offset(from)}`,
    `TZOFFSETTO:${offset(to)}`,
    ...(rule === undefined ? [] : [`RRULE:${rule}`]),
    `END:${name}`,
  ].join('\r\n');
}
