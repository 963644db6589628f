import { invalid } from '../../errors.ts';
import type { RankedSlot, Slot } from '../../free-busy/index.ts';
import { BUSY_TYPES, type BusySlot } from '../../model/index.ts';
import { createYieldToEventLoop } from '../../runtime/index.ts';
import { DAY_MS, formatInstant } from '../../zones/index.ts';
import { queryInstant, requireZone } from '../times/input-time.ts';

const MAX_WINDOW_MS = 366 * DAY_MS;

/** Fields of a query that say when. */
export interface WindowInput {
  readonly startDateTime: string;
  readonly endDateTime: string;
  readonly timeZone: string;
}

/** Reads the zone and the window of a query. @throws KalendsError InvalidRequest naming the field */
export function readWindow({ startDateTime, endDateTime, timeZone }: WindowInput): {
  readonly zone: string;
  readonly window: Slot;
} {
  const zone = requireZone('timeZone', timeZone);
  const startMs = queryInstant('startDateTime', startDateTime, zone, 'up');
  const endMs = queryInstant('endDateTime', endDateTime, zone, 'down');
  if (endMs <= startMs) throw invalid('endDateTime', 'must be after startDateTime');
  if (endMs - startMs > MAX_WINDOW_MS) throw invalid('endDateTime', 'must be at most 366 days after startDateTime');
  return { zone, window: { startMs, endMs } };
}

/** Returns slots as they are shown; `rank` is the index of the type. Those that touch and have one rank are merged. */
export async function shownSlots(
  slots: Iterable<RankedSlot>,
  zone: string,
  hasTypes: boolean,
  lane: string,
): Promise<BusySlot[]> {
  const shown: BusySlot[] = [];
  const yieldToEventLoop = createYieldToEventLoop(lane);
  const point = (ms: number) => ({ dateTime: formatBound(zone, ms), timeZone: zone });
  for (const { startMs, endMs, rank } of mergedSlots(slots)) {
    shown.push({ start: point(startMs), end: point(endMs), ...(hasTypes ? { type: BUSY_TYPES[rank] } : {}) });
    const pause = yieldToEventLoop();
    if (pause !== undefined) await pause;
  }
  return shown;
}

function* mergedSlots(slots: Iterable<RankedSlot>): Generator<RankedSlot> {
  let last: RankedSlot | undefined;
  for (const slot of slots) {
    if (last !== undefined && last.endMs === slot.startMs && last.rank === slot.rank) {
      last = { ...last, endMs: slot.endMs };
      continue;
    }
    if (last !== undefined) yield last;
    last = slot;
  }
  if (last !== undefined) yield last;
}

/** Formats the bound of a slot, with the milliseconds that it has where the window cuts it. */
function formatBound(zone: string, ms: number): string {
  const text = formatInstant(zone, ms);
  const fraction = ((ms % 1000) + 1000) % 1000;
  if (fraction === 0) return text;
  const seconds = 'YYYY-MM-DDTHH:MM:SS'.length;
  return `${text.slice(0, seconds)}.${String(fraction).padStart(3, '0')}${text.slice(seconds)}`;
}
