import type { PrintableEvent, PrintableGroup } from '../../icalendar/index.ts';
import type { EventContent, RecurrenceId } from '../../ports/index.ts';
import { recurrenceIdText } from '../../recurrence/index.ts';
import { aloneGroup } from './feed-groups.ts';

/** Returns the times of the occurrence that a series computes for a slot; undefined when it has none. */
export type TimesAt = (slot: RecurrenceId) => Pick<EventContent, 'start' | 'end'> | undefined;

/**
 * Returns a function that leaves out what it has seen: a series or single event by its UID, an occurrence by UID and slot. A guest of one
 * occurrence has that alone, and its organizer the whole series, which then is shown without it. An occurrence that the series left out
 * where it was seen is an event of its own where it takes place.
 */
export function distinctGroups(): (group: PrintableGroup, timesAt: TimesAt) => readonly PrintableGroup[] {
  /** Slots that each series left out, by its UID. */
  const wholes = new Map<string, readonly RecurrenceId[]>();
  /** Slots whose occurrences were shown without their series, by its UID and their texts. */
  const alone = new Map<string, Map<string, RecurrenceId>>();
  return (group, timesAt) => {
    const { uid, master } = group;
    const missing = wholes.get(uid);
    if (missing !== undefined) {
      const exceptions = new Map(
        group.exceptions.map((event) => [event.recurrenceId && recurrenceIdText(event.recurrenceId), event]),
      );
      const found = missing.map((slot) =>
        occurrenceAlone(group, exceptions.get(recurrenceIdText(slot)), slot, timesAt),
      );
      wholes.set(
        uid,
        missing.filter((_, index) => found[index] === undefined),
      );
      return found.filter((occurrence) => occurrence !== undefined);
    }
    const seen = alone.get(uid) ?? new Map<string, RecurrenceId>();
    const exceptions = group.exceptions.filter(
      ({ recurrenceId }) => recurrenceId !== null && !seen.has(recurrenceIdText(recurrenceId)),
    );
    if (master !== undefined) {
      wholes.set(uid, cancelledSlots(exceptions));
      alone.delete(uid);
      const shown = [...seen.values()].map((recurrenceId) => ({ recurrenceId, isCancelled: true, content: null }));
      return [{ ...group, exceptions: [...exceptions, ...shown] }];
    }
    for (const { recurrenceId } of exceptions) {
      if (recurrenceId !== null) seen.set(recurrenceIdText(recurrenceId), recurrenceId);
    }
    alone.set(uid, seen);
    return exceptions.length === 0 ? [] : [{ ...group, exceptions }];
  };
}

function cancelledSlots(exceptions: readonly PrintableEvent[]): readonly RecurrenceId[] {
  return exceptions.flatMap(({ isCancelled, recurrenceId }) =>
    isCancelled && recurrenceId !== null ? [recurrenceId] : [],
  );
}

/** Returns an occurrence as a single event, given the group's own exception in the slot; undefined when the group has none there. */
function occurrenceAlone(
  { uid, master }: PrintableGroup,
  own: PrintableEvent | undefined,
  slot: RecurrenceId,
  timesAt: TimesAt,
): PrintableGroup | undefined {
  const content = own === undefined ? computedContent(master, timesAt(slot)) : own.content;
  if (content == null || own?.isCancelled === true) return undefined;
  return aloneGroup(uid, { recurrenceId: slot, isCancelled: false, content });
}

function computedContent(
  master: PrintableEvent | undefined,
  times: ReturnType<TimesAt>,
): EventContent | null | undefined {
  if (times === undefined || master === undefined || master.isCancelled) return undefined;
  return master.content && { ...master.content, ...times, recurrence: null };
}
