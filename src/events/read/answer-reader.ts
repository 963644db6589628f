import type { CollectionKey, GroupQuery, ItemVersion, MirrorStore } from '../../ports/index.ts';
import { takeTurn } from '../../runtime/index.ts';
import { DAY_MS } from '../../zones/index.ts';
import type { EventFilters } from './event-filters.ts';
import { type EventGroup, eventGroups } from './event-group.ts';
import { type EventRecord, expandedRecords, type GroupPosition, unexpandedRecords } from './group-records.ts';

/** Groups worked on between two turns of the event loop. */
const CHUNK = 50;
/** Groups read by a statement: a few milliseconds of a synchronous database. Each statement searches a window anew. */
const READ_AT_ONCE = 256;
/** Ids of groups listed by a statement. */
const LISTED_AT_ONCE = 1_000;

/** A calendar as of one revision. */
export interface AnswerReader {
  /** Lane in which its work takes turns of the event loop: the application. */
  readonly lane: string;
  readonly revision: number;
  readonly timeZone: string;
  /** Groups of what storage read of this revision. */
  assemble(versions: readonly ItemVersion[]): Promise<readonly EventGroup[]>;
  /** These groups, those that exist, ascending by id. */
  read(groupIds: readonly string[]): Promise<readonly EventGroup[]>;
  /** Ids of the groups that may have records of the answer, ascending, beyond `after`. */
  list(filters: EventFilters, after: string | undefined, limit: number): Promise<readonly string[]>;
  /** The same groups, read, chunk by chunk, the first one as large as said; each chunk leaves the event loop to others. */
  chunks(filters: EventFilters, after?: string, first?: number): AsyncGenerator<readonly EventGroup[]>;
  /** The same groups, in any order; those in `known`, which are of this revision, are not read. */
  chunksBeside(known: ReadonlyMap<string, EventGroup>, filters: EventFilters): AsyncGenerator<readonly EventGroup[]>;
}

/** Reads a collection as of a revision. */
export function createAnswerReader(
  mirror: MirrorStore,
  key: CollectionKey,
  revision: number,
  timeZone: string,
): AnswerReader {
  const lane = key.applicationId;
  const assemble = (versions: readonly ItemVersion[]) => eventGroups(versions, timeZone, lane);
  const read = async (groupIds: readonly string[]) =>
    groupIds.length === 0 ? [] : await assemble(await mirror.readGroups(key, groupIds, revision));
  const queryOf = (filters: EventFilters, after: string | undefined, limit: number): GroupQuery => {
    const range = rangeOf(filters);
    return {
      asOf: revision,
      limit,
      ...(after === undefined ? {} : { after }),
      ...(range === undefined ? {} : { range }),
    };
  };
  const list = (filters: EventFilters, after: string | undefined, limit: number): Promise<readonly string[]> =>
    filters.groupId === undefined
      ? mirror.listGroups(key, queryOf(filters, after, limit))
      : Promise.resolve(oneGroup(filters.groupId, after));
  return {
    lane,
    revision,
    timeZone,
    assemble,
    read,
    list,
    async *chunks(filters, after, first = CHUNK) {
      if (filters.groupId !== undefined) return yield await read(oneGroup(filters.groupId, after));
      let size = Math.min(first, READ_AT_ONCE);
      let worked = size;
      for (let position = after; ; ) {
        const groups = await assemble(await mirror.readListed(key, queryOf(filters, position, size)));
        for (let begin = 0; begin < groups.length; begin += worked) {
          if (begin > 0) await takeTurn(lane);
          yield groups.slice(begin, begin + worked);
        }
        const last = groups.at(-1);
        if (last === undefined || groups.length < size) return;
        position = last.groupId;
        size = READ_AT_ONCE;
        worked = CHUNK;
        await takeTurn(lane);
      }
    },
    async *chunksBeside(known, filters) {
      for (let position: string | undefined; ; ) {
        const ids = await list(filters, position, LISTED_AT_ONCE);
        yield ids.flatMap((id) => known.get(id) ?? []);
        const unknown = ids.filter((id) => !known.has(id));
        for (let begin = 0; begin < unknown.length; begin += CHUNK) {
          yield await read(unknown.slice(begin, begin + CHUNK));
          await takeTurn(lane);
        }
        if (ids.length < LISTED_AT_ONCE) return;
        position = ids.at(-1);
        await takeTurn(lane);
      }
    },
  };
}

/** The records of a group that belong to the answer, ascending by (order, id). */
export function recordsOf(group: EventGroup, filters: EventFilters, after?: GroupPosition): Iterable<EventRecord> {
  return filters.expand ? expandedRecords(group, filters, after) : unexpandedRecords(group, filters, after);
}

function oneGroup(groupId: string, after: string | undefined): readonly string[] {
  return after === undefined || groupId > after ? [groupId] : [];
}

/** Ranges are stored with some slack for zones, and asked for with a day of it: a prefilter must never miss. */
function rangeOf({ from, to }: EventFilters): { readonly from: number | null; readonly to: number | null } | undefined {
  if (from === null && to === null) return undefined;
  return { from: from === null ? null : from - DAY_MS, to: to === null ? null : to + DAY_MS };
}
