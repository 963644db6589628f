import type { FreeBusyResult } from 'kalends/model';

type Slot = Pick<FreeBusyResult[number]['busySlots'][number], 'start' | 'end'>;

const instant = ({ dateTime }: Slot['start']): number => new Date(dateTime).getTime();

/** Joins the busy slots of several calendars: ascending, none touching another. */
export function mergedSlots(slots: readonly Slot[]): readonly Slot[] {
  const merged: Slot[] = [];
  for (const slot of [...slots].sort((a, b) => instant(a.start) - instant(b.start))) {
    const last = merged.at(-1);
    if (last === undefined || instant(slot.start) > instant(last.end)) {
      merged.push({ start: slot.start, end: slot.end });
    } else if (instant(slot.end) > instant(last.end)) {
      merged[merged.length - 1] = { start: last.start, end: slot.end };
    }
  }
  return merged;
}
