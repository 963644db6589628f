import { recurrenceIdText } from '../../recurrence/index.ts';
import type { IcsGroup } from './read-calendar.ts';
import type { IcsEvent } from './read-event.ts';

/**
 * Returns the groups of several calendars with those of one UID as one: the series, and each slot, in the version that counts. That is the one with
 * the higher SEQUENCE, then that changed later; of equal ones, or where a cancelled slot has no time, the later in the list.
 */
export function mergedGroups(groups: readonly IcsGroup[]): readonly IcsGroup[] {
  const byUid = new Map<string, IcsGroup[]>();
  for (const group of groups) {
    const known = byUid.get(group.uid);
    if (known === undefined) byUid.set(group.uid, [group]);
    else known.push(group);
  }
  return [...byUid].map(([uid, versions]) => merged(uid, versions));
}

function merged(uid: string, groups: readonly IcsGroup[]): IcsGroup {
  const bySlot = new Map<string, IcsEvent>();
  for (const event of groups.flatMap(({ exceptions }) => exceptions)) {
    const slot = event.recurrenceId === null ? '' : recurrenceIdText(event.recurrenceId);
    bySlot.set(slot, newer(bySlot.get(slot), event));
  }
  return {
    uid,
    master: groups
      .flatMap(({ master }) => master ?? [])
      .reduce<IcsEvent | undefined>((held, event) => newer(held, event), undefined),
    exceptions: [...bySlot.values()],
    unreadable: groups.flatMap(({ unreadable }) => unreadable),
  };
}

function newer(one: IcsEvent | undefined, other: IcsEvent): IcsEvent {
  if (one === undefined || one.sequence < other.sequence) return other;
  if (one.sequence > other.sequence) return one;
  const isEarlier =
    one.content !== null &&
    other.content !== null &&
    Date.parse(other.content.updatedAt) < Date.parse(one.content.updatedAt);
  return isEarlier ? one : other;
}
