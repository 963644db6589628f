import type { ConnectedAccount } from '../../accounts/index.ts';
import { KalendsError } from '../../errors.ts';
import type { Mirror, MirrorSnapshot } from '../../mirror/index.ts';
import { providerEvent } from '../../mirror/index.ts';
import type {
  CollectionKey,
  CollectionState,
  EventTarget,
  ItemVersion,
  MirrorStore,
  ProviderEvent,
  RecurrenceId,
  UnreadableRow,
} from '../../ports/index.ts';
import { parseOccurrenceId, recurrenceIdMs } from '../../recurrence/index.ts';
import { eventGroup, type MasterItem } from './event-group.ts';
import { type EventRecord, findOccurrence, findRecord, recordContent } from './group-records.ts';

/** A revision that can be read, with the calendar's zone. */
export type ReadPoint = Pick<CollectionState, 'revision' | 'timeZone'>;

/** Finds events by id in the mirror. */
export interface EventLocator {
  /**
   * Returns the record as of the snapshot; forces one pull before it throws. `items`: all present ones of the groups that may have
   * it, to look there instead.
   * @throws KalendsError NotFound, or ProviderError when the provider has the event and it cannot be read
   */
  get(
    account: ConnectedAccount,
    snapshot: Pick<MirrorSnapshot, 'key' | 'state'>,
    eventId: string,
    items?: readonly ItemVersion[],
  ): Promise<EventRecord>;
  /** Returns the record as of the present revision, or of an earlier one unless that has been purged; undefined when there is none. */
  find(key: CollectionKey, eventId: string, asOf?: number): Promise<EventRecord | undefined>;
  /** Does the same as of a revision that the caller has just reached, without reading the collection's state. */
  findAt(key: CollectionKey, eventId: string, at: ReadPoint): Promise<EventRecord | undefined>;
}

export function createEventLocator(store: MirrorStore, mirror: Mirror): EventLocator {
  async function readable(key: CollectionKey, asOf: number | undefined): Promise<ReadPoint | undefined> {
    const state = await store.find(key);
    if (asOf === undefined || state === undefined || state.revision === asOf) return state;
    const past = await store.findRevision(key, asOf);
    return past === undefined ? state : { revision: asOf, timeZone: past.timeZone };
  }

  async function find(key: CollectionKey, eventId: string, asOf?: number): Promise<EventRecord | undefined> {
    const at = await readable(key, asOf);
    return at === undefined ? undefined : await findAt(key, eventId, at);
  }

  async function findAt(key: CollectionKey, eventId: string, { revision, timeZone }: ReadPoint) {
    const item = await store.findItem(key, eventId, revision);
    const groupId = item?.groupId ?? parseOccurrenceId(eventId)?.seriesId;
    if (groupId === undefined) return undefined;
    return recordIn(await store.readGroups(key, [groupId], revision), eventId, timeZone);
  }

  return {
    find,
    findAt,
    async get(account, { key, state }, eventId, items) {
      const known = items === undefined ? await findAt(key, eventId, state) : recordIn(items, eventId, state.timeZone);
      if (known !== undefined) return known;
      await mirror.pull(account, key.calendarId);
      const found = await find(key, eventId);
      if (found === undefined) throw await missingEvent(store, key, eventId);
      return found;
    },
  };
}

/** Finds an event among the items of groups, ascending by id; undefined when none of the groups has it. */
export function recordIn(items: readonly ItemVersion[], eventId: string, timeZone: string): EventRecord | undefined {
  const group = (groupId: string) => {
    const own = items.filter((item) => item.groupId === groupId);
    return eventGroup(groupId, own, timeZone);
  };
  const item = items.find(({ itemId }) => itemId === eventId);
  if (item !== undefined) return findRecord(group(item.groupId), eventId);
  const occurrence = parseOccurrenceId(eventId);
  if (occurrence === undefined) return undefined;
  const series = group(occurrence.seriesId);
  const isDate = occurrence.recurrenceId.kind === 'date';
  if (series.master === undefined || series.master.compiled.isAllDay !== isDate) return undefined;
  return findOccurrence(series, recurrenceIdMs(occurrence.recurrenceId));
}

/** Returns the provider's id of the object whose content a record shows: a slot that is no exception shows its series. */
export function shownObjectId(record: EventRecord): string {
  const isOwn = record.kind === 'stored' && record.item.event.content !== null;
  return isOwn ? record.item.event.providerEventId : record.group.groupId;
}

/** Returns the target of a write to a record. */
export function targetOf(record: EventRecord): EventTarget {
  const { group } = record;
  if (record.kind === 'computed') {
    const { master, recurrenceId } = record;
    return occurrenceTarget(master, recurrenceId, {
      providerEventId: '',
      providerTag: null,
      seriesId: group.groupId,
      recurrenceId,
      isCancelled: false,
      isOrganizer: master.event.isOrganizer,
      content: recordContent(record),
    });
  }
  const current = providerEvent(record.item.version);
  // The series of an orphan instance is not visible: the instance is written to as a single event.
  if (record.recurrenceId === null || group.master === undefined) {
    return { kind: 'event', providerEventId: current.providerEventId, current };
  }
  return occurrenceTarget(group.master, record.recurrenceId, { ...current, content: record.content });
}

function occurrenceTarget({ version }: MasterItem, recurrenceId: RecurrenceId, current: ProviderEvent): EventTarget {
  return { kind: 'occurrence', seriesId: version.groupId, recurrenceId, current, master: providerEvent(version) };
}

export function noEvent(): KalendsError {
  return new KalendsError('NotFound', 'The calendar has no such event.');
}

/** Creates the error for an event that the mirror does not have: the provider may have it and send it unreadable. */
export async function missingEvent(
  store: Pick<MirrorStore, 'findUnreadable'>,
  key: CollectionKey,
  eventId: string,
): Promise<KalendsError> {
  const seriesId = parseOccurrenceId(eventId)?.seriesId;
  const object =
    (await store.findUnreadable(key, eventId)) ??
    (seriesId === undefined ? undefined : await store.findUnreadable(key, seriesId));
  return object === undefined || object.isPart ? noEvent() : unreadableEvent(object);
}

/** Creates the error for an event that the provider has and sends unreadable. */
export function unreadableEvent({ objectId, reason }: Pick<UnreadableRow, 'objectId' | 'reason'>): KalendsError {
  const message = `The provider's event ${objectId} cannot be read: ${reason}.`;
  return new KalendsError('ProviderError', message, { details: [{ path: objectId, message: reason }] });
}
