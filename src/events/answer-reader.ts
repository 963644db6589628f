import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CollectionKey, MirrorStore } from '../ports/index.ts';
import { DAY_MS } from '../zones/index.ts';
import type { EventFilters } from './event-filters.ts';
import { type EventGroup, eventGroups } from './event-group.ts';
import { expandedMembers, type GroupPosition, type Member, unexpandedMembers } from './group-members.ts';

/** Groups read and worked on between two turns of the event loop. */
const CHUNK = 50;

/** A calendar as of one revision. */
export interface AnswerReader {
  readonly revision: number;
  readonly timeZone: string;
  /** These groups, those that exist, ascending by id. */
  read(groupIds: readonly string[]): Promise<readonly EventGroup[]>;
  /** Ids of the groups that may have members of the answer, ascending, beyond `after`. */
  list(filters: EventFilters, after: string | undefined, limit: number): Promise<readonly string[]>;
  /** The same groups, read, chunk by chunk; each chunk leaves the event loop to others. */
  chunks(filters: EventFilters, after?: string): AsyncGenerator<readonly EventGroup[]>;
}

/** Reads a collection as of a revision. */
export function createAnswerReader(
  mirror: MirrorStore,
  key: CollectionKey,
  revision: number,
  timeZone: string,
): AnswerReader {
  const read = async (groupIds: readonly string[]) =>
    groupIds.length === 0 ? [] : eventGroups(await mirror.readGroups(key, groupIds, revision), timeZone);
  const list = (filters: EventFilters, after: string | undefined, limit: number): Promise<readonly string[]> => {
    if (filters.groupId !== undefined) return Promise.resolve(oneGroup(filters.groupId, after));
    const range = rangeOf(filters);
    return mirror.listGroups(key, {
      asOf: revision,
      limit,
      ...(after === undefined ? {} : { after }),
      ...(range === undefined ? {} : { range }),
    });
  };
  return {
    revision,
    timeZone,
    read,
    list,
    async *chunks(filters, after) {
      for (let position = after; ; ) {
        const ids = await list(filters, position, CHUNK);
        if (ids.length > 0) yield await read(ids);
        if (ids.length < CHUNK) return;
        position = ids.at(-1);
        await nextTurn();
      }
    },
  };
}

/** The records of a group that belong to the answer, ascending by (order, id). */
export function membersOf(group: EventGroup, filters: EventFilters, after?: GroupPosition): Iterable<Member> {
  return filters.expand ? expandedMembers(group, filters, after) : unexpandedMembers(group, filters, after);
}

function oneGroup(groupId: string, after: string | undefined): readonly string[] {
  return after === undefined || groupId > after ? [groupId] : [];
}

/** Ranges are stored with some slack for zones, and asked for with a day of it: a prefilter must never miss. */
function rangeOf({ from, to }: EventFilters): { readonly from: number | null; readonly to: number | null } | undefined {
  if (from === null && to === null) return undefined;
  return { from: from === null ? null : from - DAY_MS, to: to === null ? null : to + DAY_MS };
}
