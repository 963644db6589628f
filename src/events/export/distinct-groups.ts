import type { PrintableEvent, PrintableGroup } from '../../icalendar/index.ts';

const slotText = (uid: string, { recurrenceId }: PrintableEvent): string => JSON.stringify([uid, recurrenceId]);

/**
 * Returns a function that leaves out what it has seen: a series or single event by its UID, an occurrence by UID and slot. A guest of one
 * occurrence has that alone, and its organizer the whole series; together they are the series with this occurrence. Undefined when nothing
 * is left.
 */
export function distinctGroups(): (group: PrintableGroup) => PrintableGroup | undefined {
  const wholes = new Set<string>();
  const slots = new Set<string>();
  return (group) => {
    const { uid, master } = group;
    if (wholes.has(uid)) return undefined;
    const exceptions = group.exceptions.filter((event) => !slots.has(slotText(uid, event)));
    if (master !== undefined) wholes.add(uid);
    for (const event of exceptions) slots.add(slotText(uid, event));
    return master === undefined && exceptions.length === 0 ? undefined : { ...group, exceptions };
  };
}
