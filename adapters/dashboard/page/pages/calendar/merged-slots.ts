import type { CalendarBusySlots } from 'kalends/model';

/** Returns the slots of several calendars as one ascending list, touching ones joined. */
export function mergedSlots(slots: CalendarBusySlots['busySlots']): readonly (readonly [number, number])[] {
  const ascending = slots
    .map(({ start, end }) => [Date.parse(start.dateTime), Date.parse(end.dateTime)] as const)
    .toSorted(([one], [other]) => one - other);
  const joined: [number, number][] = [];
  for (const [start, end] of ascending) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}
