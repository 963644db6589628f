import type { PrintableEvent, PrintableGroup } from '../../icalendar/index.ts';
import type { MirrorSnapshot } from '../../mirror/index.ts';
import type { MirrorStore, RecurrenceId } from '../../ports/index.ts';
import { recurrenceIdMs } from '../../recurrence/index.ts';
import { createAnswerReader } from '../read/answer-reader.ts';
import type { EventFilters } from '../read/event-filters.ts';
import type { EventGroup } from '../read/event-group.ts';
import { type EventRecord, findOccurrence, recordContent, unexpandedRecords } from '../read/group-records.ts';
import type { TimesAt } from './distinct-groups.ts';

const EVERYTHING: EventFilters = { expand: false, from: null, to: null };

/**
 * Yields the events of a calendar as of a snapshot, each series whole with its exceptions, as they are asked for: memory is that of
 * fifty groups.
 */
export async function* printableGroups(
  store: MirrorStore,
  { key, state }: Pick<MirrorSnapshot, 'key' | 'state'>,
): AsyncGenerator<PrintableGroup & { readonly eventId: string; readonly timesAt: TimesAt }, void, undefined> {
  const reader = createAnswerReader(store, key, state.revision, state.timeZone);
  for await (const groups of reader.chunks(EVERYTHING)) {
    for (const group of groups) {
      const printable = printableGroup(group);
      if (printable !== undefined)
        yield { ...printable, eventId: group.groupId, timesAt: (slot) => timesAt(group, slot) };
    }
  }
}

function printableGroup(group: EventGroup): PrintableGroup | undefined {
  const records = [...unexpandedRecords(group, EVERYTHING)];
  const events = records.map(printableEvent);
  const [first] = events;
  if (first === undefined) return undefined;
  const uid = events.find(({ content }) => content !== null && content.iCalUid !== '')?.content?.iCalUid;
  return {
    uid: uid ?? group.groupId,
    master: events.find(({ recurrenceId }) => recurrenceId === null),
    exceptions: events.filter(({ recurrenceId }) => recurrenceId !== null),
  };
}

function timesAt(group: EventGroup, slot: RecurrenceId): ReturnType<TimesAt> {
  const occurrence = findOccurrence(group, recurrenceIdMs(slot));
  if (occurrence === undefined) return undefined;
  const { start, end } = recordContent(occurrence);
  return { start, end };
}

function printableEvent(record: EventRecord): PrintableEvent {
  const { recurrenceId, isCancelled } = record;
  if (record.kind === 'computed') return { recurrenceId, isCancelled, content: null };
  // A stub shows its series' content, which is not its own.
  const { content } = record.item.event;
  return { recurrenceId, isCancelled, content: content === null ? null : record.content };
}
