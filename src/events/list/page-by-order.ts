import { createYieldToEventLoop, takeTurn } from '../../runtime/index.ts';
import { DAY_MS } from '../../zones/index.ts';
import { type AnswerReader, recordsOf } from '../read/answer-reader.ts';
import type { EventFilters, ExpandedFilters } from '../read/event-filters.ts';
import type { EventGroup } from '../read/event-group.ts';
import { computedRecords, type EventRecord, storedRecords } from '../read/group-records.ts';
import type { RecordPage } from './page-by-group.ts';
import { createPageSize, onePage, type PageLimit } from './page-size.ts';

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
/** Most groups have few records in a slice. */
const STEPS_PER_GROUP = 50;
/** So many series are kept from one slice for the next. */
const MOST_SERIES = 2_000;
/** So many are put aside before a slice is sorted, and cut to its size. */
const SORTED_AT_ONCE = 4_000;

/**
 * One page of an expanded answer, ascending by (start, id). Time is read in slices that grow while they find little,
 * so that neither what lies before the page nor what lies long after it is expanded.
 */
export async function readPageByStart(
  reader: AnswerReader,
  filters: ExpandedFilters,
  limit: PageLimit,
  position: StartPosition | undefined,
): Promise<RecordPage<StartPosition>> {
  const end = filters.to;
  const found: EventRecord[] = [];
  const series = new Map<string, EventGroup>();
  let from = Math.max(filters.from, position?.startMs ?? filters.from);
  for (let sliceMs = FIRST_SLICE_MS; from <= end; sliceMs *= 2) {
    const until = Math.min(from + sliceMs, end + 1);
    const missing = limit.records + 1 - found.length;
    const slice = await readSlice(reader, series, { filters, from, until, position, limit: missing });
    found.push(...slice);
    const records = onePage(found, limit);
    const last = records.at(-1);
    if (last !== undefined && records.length < found.length) {
      return { records, next: { startMs: last.startMs, id: last.id } };
    }
    from = until;
    await takeTurn(reader.lane);
  }
  return { records: found, next: undefined };
}

interface Slice {
  readonly filters: ExpandedFilters;
  readonly from: number;
  readonly until: number;
  readonly position: StartPosition | undefined;
  readonly limit: number;
}

/**
 * The first `limit` records that start in [from, until) beyond the position.
 * @param series what earlier slices of the page have read, for later ones
 */
async function readSlice(
  reader: AnswerReader,
  series: Map<string, EventGroup>,
  { filters, from, until, position, limit }: Slice,
): Promise<readonly EventRecord[]> {
  const inSlice = (record: EventRecord) =>
    record.startMs >= from && record.startMs < until && (position === undefined || isAfter(record, position));
  const touching: EventFilters = { ...filters, from, to: until };
  const yieldToEventLoop = createYieldToEventLoop(reader.lane);
  let found: EventRecord[] = [];
  const chunks = series.size === 0 ? reader.chunks(touching) : reader.chunksBeside(series, touching);
  for await (const groups of chunks) {
    for (const group of groups) {
      if (group.master !== undefined && series.size < MOST_SERIES) series.set(group.groupId, group);
      const records = startingIn(group, filters, from, until, inSlice, limit);
      for (const record of records) found.push(record);
      if (found.length > limit + SORTED_AT_ONCE) found = found.sort(byStart).slice(0, limit);
      const pause = yieldToEventLoop(STEPS_PER_GROUP + records.length);
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
  inSlice: (record: EventRecord) => boolean,
  limit: number,
): readonly EventRecord[] {
  const window: EventFilters = { ...filters, starts: { from, until } };
  const out = storedRecords(group, window).filter(inSlice);
  let computed = 0;
  for (const record of computedRecords(group, window)) {
    if (computed === limit) break;
    if (!inSlice(record)) continue;
    out.push(record);
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
  limit: PageLimit,
  position: UpdatedPosition | undefined,
): Promise<RecordPage<UpdatedPosition>> {
  const records: EventRecord[] = [];
  const size = createPageSize(limit);
  const yieldToEventLoop = createYieldToEventLoop(reader.lane);
  let after = position;
  let last: EventRecord | undefined;
  for (;;) {
    const keys = await firstUpdates(reader, filters, after, limit.records + 1);
    for (const { updatedAt, groupId } of keys) {
      const [group] = await reader.read([groupId]);
      const isResumed = after !== undefined && after.updatedAt === updatedAt && after.groupId === groupId;
      for (const record of group === undefined ? [] : recordsOf(group, filters, isResumed ? after : undefined)) {
        const pause = yieldToEventLoop();
        if (pause !== undefined) await pause;
        if (record.updatedAt !== updatedAt) continue;
        if (last !== undefined && size.isFull()) return { records, next: updatePosition(last) };
        records.push(record);
        size.add(record);
        last = record;
      }
    }
    const lastKey = keys.at(-1);
    if (lastKey === undefined || keys.length <= limit.records) return { records, next: undefined };
    after = { ...lastKey, order: Number.MAX_SAFE_INTEGER, id: '' };
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
  const instants = instantOf(a.updatedAt) - instantOf(b.updatedAt);
  return instants || compare(a.groupId, b.groupId) || compare(a.updatedAt, b.updatedAt);
}

/** A provider may leave the time of a change out. */
function instantOf(updatedAt: string): number {
  const instant = Date.parse(updatedAt);
  return Number.isNaN(instant) ? 0 : instant;
}

function updatePosition({ updatedAt, group, order, id }: EventRecord): UpdatedPosition {
  return { updatedAt, groupId: group.groupId, order, id };
}

function byStart(a: EventRecord, b: EventRecord): number {
  return a.startMs - b.startMs || compare(a.id, b.id);
}

function isAfter(record: EventRecord, position: StartPosition): boolean {
  return record.startMs > position.startMs || (record.startMs === position.startMs && record.id > position.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
