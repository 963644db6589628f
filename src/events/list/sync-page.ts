import type { CollectionKey, MirrorStore, TouchedGroup } from '../../ports/index.ts';
import { createYieldToEventLoop, takeTurn, type YieldToEventLoop } from '../../runtime/index.ts';
import { type AnswerReader, recordsOf } from '../read/answer-reader.ts';
import type { EventFilters } from '../read/event-filters.ts';
import type { EventGroup, GroupItem } from '../read/event-group.ts';
import { type EventRecord, type GroupPosition, isBeyond } from '../read/group-records.ts';
import { createPageSize, type PageLimit } from './page-size.ts';

/** One record of a sync result. */
export interface RecordChange {
  readonly kind: 'present' | 'gone';
  readonly record: EventRecord;
  /** The record that a present one replaces. */
  readonly replaced?: EventRecord | undefined;
}

/** The last record of a page of a sync result. */
export interface SyncPosition extends GroupPosition {
  readonly groupId: string;
  /** Revision at which the group was touched last; 0 when a change of zone touched them all. */
  readonly revision: number;
}

export interface SyncPage {
  readonly changes: readonly RecordChange[];
  readonly next: SyncPosition | undefined;
}

/** Two answers, of which the second is the later one. */
interface Difference {
  readonly since: AnswerReader;
  /** Tag of that revision, if it is still to be checked. */
  readonly tag?: string | undefined;
  readonly until: AnswerReader;
  readonly filters: EventFilters;
}

interface SyncInput extends Difference {
  readonly limit: PageLimit;
  readonly position: SyncPosition | undefined;
}

const CHUNK = 50;

/**
 * One page of what the answer at `until` has that the one at `since` had not, and the other way round, in order of change.
 * Only groups touched in between are read: both answers of each are walked side by side.
 */
export async function readSyncPage(mirror: MirrorStore, key: CollectionKey, input: SyncInput): Promise<SyncPage> {
  const { filters, limit, position } = input;
  const changes: RecordChange[] = [];
  const size = createPageSize(limit);
  const yieldToEventLoop = createYieldToEventLoop(input.until.lane);
  let last: SyncPosition | undefined;
  for await (const { touched, before, after } of touchedGroups(mirror, key, input)) {
    const was = byId(before);
    const is = byId(after);
    for (const { groupId, revision } of touched) {
      const resumed = position?.groupId === groupId && position.revision === revision ? position : undefined;
      for await (const change of groupChanges(was.get(groupId), is.get(groupId), filters, resumed, yieldToEventLoop)) {
        if (size.isFull()) return { changes, next: last };
        changes.push(change);
        size.add(change.kind === 'gone' ? undefined : change.record);
        last = { groupId, revision, order: change.record.order, id: change.record.id };
      }
    }
  }
  return { changes, next: undefined };
}

/** Groups touched in between, from the position's own on, chunk by chunk. */
async function* touchedGroups(
  mirror: MirrorStore,
  key: CollectionKey,
  { position, ...difference }: SyncInput,
): AsyncGenerator<Chunk> {
  const { since, until } = difference;
  if (position !== undefined) yield await readBoth(since, until, [position]);
  const next =
    since.timeZone === until.timeZone
      ? (after: TouchedGroup | undefined) => touchedByVersions(mirror, key, difference, after)
      : (after: TouchedGroup | undefined) => touchedByZone(difference, after);
  let after: TouchedGroup | undefined = position;
  for (;;) {
    const chunk = await next(after);
    yield chunk;
    if (chunk.isLast) return;
    after = chunk.last;
    await takeTurn(until.lane);
  }
}

/** Touched groups, and those of them that either answer may have records of. */
interface Chunk {
  readonly touched: readonly TouchedGroup[];
  readonly before: readonly EventGroup[];
  readonly after: readonly EventGroup[];
}

/** A chunk with the last group it covers, beyond which the next one begins. */
interface LinkedChunk extends Chunk {
  readonly last: TouchedGroup | undefined;
  readonly isLast: boolean;
}

const NOTHING: LinkedChunk = { touched: [], before: [], after: [], last: undefined, isLast: true };

async function readBoth(since: AnswerReader, until: AnswerReader, touched: readonly TouchedGroup[]): Promise<Chunk> {
  const ids = touched.map(({ groupId }) => groupId);
  return { touched, before: await since.read(ids), after: await until.read(ids) };
}

async function touchedByVersions(
  mirror: MirrorStore,
  key: CollectionKey,
  { since, tag, until, filters }: Difference,
  after: TouchedGroup | undefined,
): Promise<LinkedChunk> {
  if (since.revision === until.revision) return NOTHING;
  const all = await mirror.readTouched(key, {
    since: since.revision,
    until: until.revision,
    limit: CHUNK,
    ...(tag === undefined ? {} : { tag }),
    ...(after === undefined ? {} : { after: { revision: after.revision, groupId: after.groupId } }),
  });
  const { groupId } = filters;
  const touched = groupId === undefined ? all : all.filter((group) => group.groupId === groupId);
  return {
    touched,
    before: await since.assemble(touched.flatMap((group) => group.before)),
    after: await until.assemble(touched.flatMap((group) => group.after)),
    last: all.at(-1),
    isLast: all.length < CHUNK,
  };
}

/** A change of the calendar's zone moves every all-day event: all groups of both answers, by id. */
async function touchedByZone(
  { since, until, filters }: Difference,
  after: TouchedGroup | undefined,
): Promise<LinkedChunk> {
  const before = await since.list(filters, after?.groupId, CHUNK);
  const now = await until.list(filters, after?.groupId, CHUNK);
  // Beyond the end of a full list there may be groups that it has not named yet.
  const ends = [before, now].flatMap((ids) => (ids.length === CHUNK ? ids.slice(-1) : []));
  const ids = [...new Set([...before, ...now])].sort(byBytes);
  const end = ends.sort(byBytes)[0];
  const known = end === undefined ? ids : ids.filter((id) => byBytes(id, end) <= 0);
  const touched = known.map((groupId) => ({ groupId, revision: 0 }));
  return { ...(await readBoth(since, until, touched)), last: touched.at(-1), isLast: end === undefined };
}

/** Storage compares ids by their UTF-8 bytes; JavaScript by UTF-16 units, which differ beyond the basic plane. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Both answers of one group side by side: what came or changed, and what went. */
export async function* groupChanges(
  before: EventGroup | undefined,
  after: EventGroup | undefined,
  filters: EventFilters,
  position: GroupPosition | undefined,
  yieldToEventLoop: YieldToEventLoop,
): AsyncGenerator<RecordChange> {
  if (isSameGroup(before, after)) return;
  const was = walk(before, filters, position);
  const is = walk(after, filters, position);
  let old = was.next().value;
  let current = is.next().value;
  while (old !== undefined || current !== undefined) {
    const pause = yieldToEventLoop();
    if (pause !== undefined) await pause;
    if (old !== undefined && (current === undefined || isBeyond(current, old))) {
      yield { kind: 'gone', record: old };
      old = was.next().value;
    } else if (current !== undefined) {
      const isNew = old === undefined || isBeyond(old, current);
      const replaced = isNew ? undefined : old;
      if (replaced?.version !== current.version) yield { kind: 'present', record: current, replaced };
      if (!isNew) old = was.next().value;
      current = is.next().value;
    }
  }
}

/** Nothing of it was written, and nothing moves with the calendar's zone. */
function isSameGroup(before: EventGroup | undefined, after: EventGroup | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  if (before.items.length !== after.items.length) return false;
  const isStill = ({ version }: GroupItem, index: number) => {
    const now = after.items[index]?.version;
    return version.itemId === now?.itemId && version.fromRevision === now.fromRevision;
  };
  return before.calendarZone === after.calendarZone && before.items.every(isStill);
}

function* walk(
  group: EventGroup | undefined,
  filters: EventFilters,
  position: GroupPosition | undefined,
): Generator<EventRecord, undefined> {
  if (group !== undefined) yield* recordsOf(group, filters, position);
  return undefined;
}

function byId(groups: readonly EventGroup[]): ReadonlyMap<string, EventGroup> {
  return new Map(groups.map((group) => [group.groupId, group]));
}
