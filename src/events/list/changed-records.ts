import { KalendsError } from '../../errors.ts';
import type { CalendarEvent, DeletedEvent } from '../../model/index.ts';
import type { CollectionKey, MirrorStore, ToldChange } from '../../ports/index.ts';
import { createYieldToEventLoop } from '../../runtime/index.ts';
import { createAnswerReader } from '../read/answer-reader.ts';
import type { EventFilters } from '../read/event-filters.ts';
import { presentEvent } from '../read/event-presenter.ts';
import { findRecord } from '../read/group-records.ts';
import { presentRecord } from './page-records.ts';
import { groupChanges } from './sync-page.ts';

/** The records of an event or series that a change has left, as a list without filters has them. */
export interface ChangedRecords {
  /** The event or series after the change; null when there is none. */
  readonly event: CalendarEvent | null;
  /** Other records of the series that have become others, or are gone. */
  readonly occurrences: readonly (CalendarEvent | DeletedEvent)[];
}

const ALL: EventFilters = { expand: false, from: null, to: null };

/**
 * Reads what a change of the mirror has made of an event's records, as of its revision; undefined when that or the one before
 * is purged, or belongs to another history.
 */
export async function readChangedRecords(
  mirror: MirrorStore,
  key: CollectionKey,
  { groupId, revision, tag, previousTag }: ToldChange,
): Promise<ChangedRecords | undefined> {
  try {
    const before = await mirror.findRevision(key, revision - 1);
    const after = await mirror.findRevision(key, revision);
    if (before?.tag !== previousTag || after?.tag !== tag) return undefined;
    const read = (at: number, timeZone: string) => createAnswerReader(mirror, key, at, timeZone).read([groupId]);
    const [was] = await read(revision - 1, before.timeZone);
    const [is] = await read(revision, after.timeZone);
    const own = is && findRecord(is, groupId);
    const occurrences: (CalendarEvent | DeletedEvent)[] = [];
    for await (const change of groupChanges(was, is, ALL, undefined, createYieldToEventLoop(key.applicationId))) {
      if (change.record.id !== groupId) occurrences.push(presentRecord(change, undefined));
    }
    return { event: own === undefined ? null : presentEvent(own, undefined), occurrences };
  } catch (error) {
    if (KalendsError.isInstance(error) && error.code === 'SyncTokenExpired') return undefined;
    throw error;
  }
}
