/*
 * The zones of the sub-daily oracle: Intl is asked once a day, each change is bisected to the second. Nothing of the
 * engine is used here.
 */

const DAY = 86_400;
const FIRST = Date.UTC(1984, 0, 1) / 1000;
const LAST = Date.UTC(2128, 0, 1) / 1000;

/** Offset `offsets[i]` is in force from `starts[i]` to `starts[i + 1]`, all in seconds. */
export interface SlowOffsets {
  readonly starts: readonly number[];
  readonly offsets: readonly number[];
}

const known = new Map<string, SlowOffsets>();

function intlOffset(format: Intl.DateTimeFormat, second: number): number {
  const text = format.format(second * 1000);
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60;
}

/** The offsets of a zone from 1984 to 2127; null is floating time. */
export function slowOffsetsOf(zone: string | null): SlowOffsets {
  const name = zone ?? 'UTC';
  const before = known.get(name);
  if (before !== undefined) return before;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset', year: 'numeric' });
  const starts = [Number.NEGATIVE_INFINITY];
  const offsets = [intlOffset(format, FIRST)];
  for (let at = FIRST + DAY; at <= LAST; at += DAY) {
    const offset = intlOffset(format, at);
    if (offset === offsets.at(-1)) continue;
    let [same, changed] = [at - DAY, at];
    while (changed - same > 1) {
      const middle = Math.floor((same + changed) / 2);
      if (intlOffset(format, middle) === offset) changed = middle;
      else same = middle;
    }
    starts.push(changed);
    offsets.push(offset);
  }
  const found = { starts, offsets };
  known.set(name, found);
  return found;
}

/** The place of the offset in force at an instant. */
export function placeAt({ starts }: SlowOffsets, second: number): number {
  let place = starts.length - 1;
  while (second < starts[place]!) place--;
  return place;
}

/** The first instant at which the clocks show a wall time; for one that does not exist, by the offset before the gap. */
export function slowStartOf({ starts, offsets }: SlowOffsets, wall: number): number {
  for (let place = 0; place < starts.length; place++) {
    const instant = wall - offsets[place]!;
    const end = starts[place + 1] ?? Number.POSITIVE_INFINITY;
    if (instant >= starts[place]! && instant < end) return instant;
    if (instant >= end && wall - offsets[place + 1]! < end) return instant;
  }
  throw new Error('a wall time has an instant or lies in a gap');
}
