import type { ConnectedAccount } from '../accounts/account-access.ts';
import { KalendsError } from '../errors.ts';
import type { CollectionKey, EventTarget, MirrorStore, ProviderEvent } from '../ports/index.ts';
import type { Mirror } from '../sync/mirror.ts';
import { parseOccurrenceId, slotMs } from '../sync/occurrence-id.ts';
import { providerEvent } from '../sync/stored-event.ts';
import { eventGroup } from './event-group.ts';
import { findMember, type Member, memberContent, slotMember } from './group-members.ts';

/** Finds events by id in the mirror. */
export interface EventLocator {
  /** The record as of the present revision; one pull is forced before it says so. @throws KalendsError NotFound */
  get(account: ConnectedAccount, key: CollectionKey, eventId: string): Promise<Member>;
  /** The same without a pull, and on demand as of an earlier revision (the present one when that has been purged). */
  find(key: CollectionKey, eventId: string, asOf?: number): Promise<Member | undefined>;
}

export function createEventLocator(store: MirrorStore, mirror: Mirror): EventLocator {
  /** A revision that can be read, with its zone. */
  async function readable(key: CollectionKey, asOf: number | undefined) {
    const state = await store.find(key);
    if (asOf === undefined || state === undefined || state.revision === asOf) return state;
    const past = await store.findRevision(key, asOf);
    return past === undefined ? state : { revision: asOf, timeZone: past.timeZone };
  }

  async function find(key: CollectionKey, eventId: string, asOf?: number): Promise<Member | undefined> {
    const state = await readable(key, asOf);
    if (state === undefined) return undefined;
    const group = async (groupId: string) =>
      eventGroup(groupId, await store.readGroups(key, [groupId], state.revision), state.timeZone);
    const item = await store.findItem(key, eventId, state.revision);
    if (item !== undefined) return findMember(await group(item.groupId), eventId);
    const occurrence = parseOccurrenceId(eventId);
    if (occurrence === undefined) return undefined;
    const series = await group(occurrence.seriesId);
    const isDate = occurrence.slot.kind === 'date';
    if (series.master === undefined || series.master.compiled.isAllDay !== isDate) return undefined;
    return slotMember(series, slotMs(occurrence.slot));
  }

  return {
    find,
    async get(account, key, eventId) {
      const known = await find(key, eventId);
      if (known !== undefined) return known;
      await mirror.pull(account, key.calendarId);
      const found = await find(key, eventId);
      if (found === undefined) throw noEvent();
      return found;
    },
  };
}

/** What a write to a record is aimed at. */
export function targetOf(member: Member): EventTarget {
  const { group, item, id } = member;
  const { master } = group;
  const slot = item === undefined ? parseOccurrenceId(id)!.slot : item.event.originalStart;
  const stored = item === undefined ? undefined : providerEvent(item.version);
  // Of an orphan nobody shows us the series: it is written to as an object of its own.
  if (slot === null || master === undefined) {
    return { kind: 'event', providerEventId: stored!.providerEventId, current: stored! };
  }
  const seriesMaster = providerEvent(master.version);
  const computed: ProviderEvent = {
    providerEventId: '',
    providerTag: null,
    seriesId: group.groupId,
    originalStart: slot,
    isCancelled: false,
    isOrganizer: seriesMaster.isOrganizer,
    content: null,
  };
  return {
    kind: 'occurrence',
    seriesId: group.groupId,
    originalStart: slot,
    current: { ...(stored ?? computed), content: memberContent(member) },
    master: seriesMaster,
  };
}

export function noEvent(): KalendsError {
  return new KalendsError('NotFound', 'The calendar has no such event.');
}
