import type { AvailableRange, AvailableSlot } from 'kalends/model';

/** Slots of a day that the same people attend, for the same reason. */
export interface SlotGroup {
  readonly participants: readonly string[];
  readonly absent: readonly string[];
  readonly reason: string;
  readonly slots: readonly AvailableSlot[];
}

/** Slots that follow each other in an answer and start on one day. */
export interface SlotBlock {
  readonly date: string;
  readonly firstRank: number;
  readonly lastRank: number;
  readonly groups: readonly SlotGroup[];
}

const dateOf = ({ start }: AvailableSlot | AvailableRange): string => start.dateTime.slice(0, 10);

/**
 * Returns the slots of an answer by days, in its order. Ordered by rank, a day comes again for each number of absent people: else
 * the best slots of a later day would stand below worse ones.
 */
export function slotBlocks(slots: readonly AvailableSlot[], order: 'startDateTime' | 'rank'): readonly SlotBlock[] {
  const keyOf = (slot: AvailableSlot) => `${dateOf(slot)} ${order === 'rank' ? slot.absent.length : ''}`;
  return runsOf(slots, keyOf).map((run) => {
    const ranks = run.map(({ rank }) => rank);
    const [first] = run;
    return {
      date: first === undefined ? '' : dateOf(first),
      firstRank: Math.min(...ranks),
      lastRank: Math.max(...ranks),
      groups: groupsOf(run),
    };
  });
}

function groupsOf(slots: readonly AvailableSlot[]): readonly SlotGroup[] {
  const groups = new Map<string, SlotGroup & { readonly slots: AvailableSlot[] }>();
  for (const slot of slots) {
    const { participants, absent, reason } = slot;
    const key = JSON.stringify([participants, absent, reason]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { participants, absent, reason, slots: [slot] });
    else group.slots.push(slot);
  }
  return [...groups.values()];
}

/** Returns ranges by the day on which they start. */
export function rangesByDay(ranges: readonly AvailableRange[]) {
  return runsOf(ranges, dateOf).map((run) => ({ date: run[0] === undefined ? '' : dateOf(run[0]), ranges: run }));
}

function runsOf<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const runs: Item[][] = [];
  let before: string | undefined;
  for (const item of items) {
    const key = keyOf(item);
    if (key === before) runs.at(-1)?.push(item);
    else runs.push([item]);
    before = key;
  }
  return runs;
}
