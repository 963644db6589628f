import { createYieldToEventLoop, takeTurn } from '../../runtime/index.ts';
import { DAY_MS } from '../../zones/index.ts';
import { type AnswerReader, membersOf } from '../read/answer-reader.ts';
import type { EventFilters } from '../read/event-filters.ts';
import type { EventGroup } from '../read/event-group.ts';
import { computedMembers, type Member, storedMembers } from '../read/group-members.ts';
import type { MemberPage } from './page-by-group.ts';

/** The last record of a page ordered by start. */
export interface StartPosition {
  readonly startMs: number;
  readonly id: string;
}

/** The last record of a page ordered by last change. */
export interface UpdatedPosition {
  readonly updatedAt: string;
  readonly groupId: string;
  readonly order: number;
  readonly id: string;
}

const FIRST_SLICE_MS = 7 * DAY_MS;
/** Most groups have few members in a slice. */
const STEPS_PER_GROUP = 50;
/** So many are put aside before a slice is sorted, and cut to its size. */
const SORTED_AT_ONCE = 4_000;

/**
 * One page of an expanded answer, ascending by (start, id). Time is read in slices that grow while they find little,
 * so that neither what lies before the page nor what lies long after it is expanded.
 */
export async function readPageByStart(
  reader: AnswerReader,
  filters: EventFilters,
  limit: number,
  position: StartPosition | undefined,
): Promise<MemberPage<StartPosition>> {
  const end = filters.to!;
  const found: Member[] = [];
  let from = Math.max(filters.from!, position?.startMs ?? filters.from!);
  for (let sliceMs = FIRST_SLICE_MS; from <= end; sliceMs *= 2) {
    const until = Math.min(from + sliceMs, end + 1);
    const slice = await readSlice(reader, filters, from, until, position, limit + 1 - found.length);
    found.push(...slice);
    if (found.length > limit) break;
    from = until;
    await takeTurn(reader.lane);
  }
  const members = found.slice(0, limit);
  const last = members.at(-1);
  return {
    members,
    next: found.length > limit && last !== undefined ? { startMs: last.startMs, id: last.id } : undefined,
  };
}

/** The first `limit` members that start in [from, until) beyond the position. */
async function readSlice(
  reader: AnswerReader,
  filters: EventFilters,
  from: number,
  until: number,
  position: StartPosition | undefined,
  limit: number,
): Promise<readonly Member[]> {
  const inSlice = (member: Member) =>
    member.startMs >= from && member.startMs < until && (position === undefined || isAfter(member, position));
  const touching: EventFilters = { ...filters, from, to: until };
  const yieldToEventLoop = createYieldToEventLoop(reader.lane);
  let found: Member[] = [];
  for await (const groups of reader.chunks(touching)) {
    for (const group of groups) {
      const members = startingIn(group, filters, from, until, inSlice, limit);
      for (const member of members) found.push(member);
      if (found.length > limit + SORTED_AT_ONCE) found = found.sort(byStart).slice(0, limit);
      const pause = yieldToEventLoop(STEPS_PER_GROUP + members.length);
      if (pause !== undefined) await pause;
    }
    found = found.sort(byStart).slice(0, limit);
  }
  return found;
}

/** Of one group: at most `limit` computed ones, all stored ones. */
function startingIn(
  group: EventGroup,
  filters: EventFilters,
  from: number,
  until: number,
  inSlice: (member: Member) => boolean,
  limit: number,
): readonly Member[] {
  const window: EventFilters = { ...filters, starts: { from, until } };
  const out = storedMembers(group, window).filter(inSlice);
  let computed = 0;
  for (const member of computedMembers(group, window)) {
    if (computed === limit) break;
    if (!inSlice(member)) continue;
    out.push(member);
    computed += 1;
  }
  return out;
}

/**
 * One page of an expanded answer, ascending by (updatedAt, group, order). Every group in the window tells when it was
 * changed; only those on the page are expanded.
 */
export async function readPageByUpdate(
  reader: AnswerReader,
  filters: EventFilters,
  limit: number,
  position: UpdatedPosition | undefined,
): Promise<MemberPage<UpdatedPosition>> {
  const members: Member[] = [];
  const yieldToEventLoop = createYieldToEventLoop(reader.lane);
  let after = position;
  for (;;) {
    const keys = await firstUpdates(reader, filters, after, limit + 1);
    for (const { updatedAt, groupId } of keys) {
      const [group] = await reader.read([groupId]);
      const isResumed = after !== undefined && after.updatedAt === updatedAt && after.groupId === groupId;
      for (const member of membersOf(group!, filters, isResumed ? after : undefined)) {
        const pause = yieldToEventLoop();
        if (pause !== undefined) await pause;
        if (member.updatedAt !== updatedAt) continue;
        if (members.length === limit) return { members, next: updatePosition(members.at(-1)!) };
        members.push(member);
      }
    }
    if (keys.length <= limit) return { members, next: undefined };
    after = { ...keys.at(-1)!, order: Number.MAX_SAFE_INTEGER, id: '' };
  }
}

interface UpdateKey {
  readonly updatedAt: string;
  readonly groupId: string;
}

/** The first `limit` pairs of change time and group from the position's own on. */
async function firstUpdates(
  reader: AnswerReader,
  filters: EventFilters,
  position: UpdatedPosition | undefined,
  limit: number,
): Promise<readonly UpdateKey[]> {
  let keys: UpdateKey[] = [];
  for await (const groups of reader.chunks(filters)) {
    for (const { groupId, items, master } of groups) {
      const times = items.map(({ event }) => (event.content ?? master?.content)?.updatedAt);
      for (const updatedAt of new Set(times)) {
        if (updatedAt === undefined) continue;
        const key = { updatedAt, groupId };
        if (position === undefined || byUpdate(key, position) >= 0) keys.push(key);
      }
    }
    if (keys.length > limit) keys = keys.sort(byUpdate).slice(0, limit);
  }
  return keys.sort(byUpdate);
}

function byUpdate(a: UpdateKey, b: UpdateKey): number {
  const instants = Date.parse(a.updatedAt) - Date.parse(b.updatedAt);
  return instants || compare(a.groupId, b.groupId) || compare(a.updatedAt, b.updatedAt);
}

function updatePosition({ updatedAt, group, order, id }: Member): UpdatedPosition {
  return { updatedAt, groupId: group.groupId, order, id };
}

function byStart(a: Member, b: Member): number {
  return a.startMs - b.startMs || compare(a.id, b.id);
}

function isAfter(member: Member, position: StartPosition): boolean {
  return member.startMs > position.startMs || (member.startMs === position.startMs && member.id > position.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
