import { formatInstant, type Zones } from '../zones/index.ts';
import { type Attendance, attendanceOf, rankingOf, reasonOf } from './attendance.ts';
import { AvailabilityError } from './availability-error.ts';
import type { AvailabilityQuery } from './availability-query.ts';
import { type OfferedRun, offeredRuns } from './offered-runs.ts';
import { comparePlaces, limitOf, type PageOptions, readCursor, writeCursor } from './pages.ts';
import { type ResolvedQuery, resolveQuery } from './resolve-query.ts';
import { firstPointFrom, hasPoint, startGrid } from './start-grid.ts';
import { allAtOnce, type Steps } from './steps.ts';

/** A time at which the participants can meet: `[startMs, endMs)`. */
export interface AvailableSlot extends Attendance {
  readonly startMs: number;
  readonly endMs: number;
  /** `startMs` in the zone of the query, `2026-03-02T09:00:00+01:00`. */
  readonly start: string;
  readonly end: string;
  /** Place among all slots of the answer, from 1. */
  readonly rank: number;
  /** The facts that decide the rank, in words. Slots that are alike in it are ranked by their start. */
  readonly reason: string;
}

/** `start`: the earliest first. `rank`: the best first. */
export type SlotOrder = 'start' | 'rank';

export interface SlotOptions extends PageOptions {
  /** @default 'start' */
  readonly order?: SlotOrder | undefined;
}

/** One page of slots. */
export interface SlotPage {
  /** Zone of the query. */
  readonly timeZone: string;
  readonly slots: readonly AvailableSlot[];
  /** Number of slots on all pages. */
  readonly total: number;
  /** Ids of the hosts, the one who is due for the next assignment first. Empty unless the query is round-robin. */
  readonly line: readonly string[];
  /** Cursor of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** A run, with its starts on the grid from `first` up to `end`. */
interface RankedRun {
  readonly run: OfferedRun;
  readonly ranking: readonly [number, number];
  readonly first: number;
  readonly end: number;
  /** Rank of its first slot. */
  readonly rank: number;
}

/**
 * Returns a page of the slots at which the participants can meet.
 *
 * A slot ranks higher the fewer optional participants are absent, then the earlier the turn of its hosts and group members, then the
 * earlier it starts. The work grows with the intervals of the participants and the steps of the window, not with their product.
 * @throws AvailabilityError for a field that violates a rule; it names both.
 * @example
 * const { slots, nextCursor } = availableSlots({
 *   window: { startMs: Date.UTC(2026, 2, 2), endMs: Date.UTC(2026, 2, 7) },
 *   durationMs: 30 * 60_000,
 *   stepMs: 15 * 60_000,
 *   timeZone: 'Europe/Rome',
 *   participants: [{ id: 'ada', timeZone: 'Europe/Rome', busy: [] }],
 * });
 */
export function availableSlots(query: AvailabilityQuery, options: SlotOptions = {}, zones?: Zones): SlotPage {
  return allAtOnce(availableSlotsInSteps(query, options, zones));
}

/** Does the work of `availableSlots` in steps. */
export function* availableSlotsInSteps(
  query: AvailabilityQuery,
  options: SlotOptions = {},
  zones?: Zones,
): Steps<SlotPage> {
  const order = orderOf(options);
  const limit = limitOf(options);
  const after = readCursor(options, order, order === 'start' ? 1 : 3);
  const resolved = yield* resolveQuery(query, zones);
  const grid = startGrid(resolved);
  const { runs, line } = yield* offeredRuns(resolved, (run) => hasPoint(grid, run));
  const ranked = yield* rankRuns(runs, resolved, grid);
  const found = [...pageOf(order === 'rank' ? ranked : byStart(ranked), grid, order, after, limit + 1)];
  const slots: AvailableSlot[] = [];
  for (const { ranked: of, index } of found.slice(0, limit)) {
    slots.push(slotAt(of, index, grid, resolved));
    yield resolved.participants.length;
  }
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    timeZone: resolved.timeZone,
    slots,
    total: ranked.reduce((sum, { first, end }) => sum + end - first, 0),
    line: line.map(({ host }) => host.id),
    nextCursor: last === undefined ? null : writeCursor(order, last.place),
  };
}

function orderOf({ order = 'start' }: SlotOptions): SlotOrder {
  if (order !== 'start' && order !== 'rank') throw new AvailabilityError('order', 'must be start or rank');
  return order;
}

/** Returns the runs with the best first. */
function* rankRuns(
  runs: readonly OfferedRun[],
  query: ResolvedQuery,
  grid: readonly number[],
): Steps<readonly RankedRun[]> {
  // Runs that are alike in it keep their order: there are few rankings, and may be many runs.
  const alike = new Map<string, { readonly ranking: RankedRun['ranking']; readonly runs: OfferedRun[] }>();
  for (const run of runs) {
    const ranking = rankingOf(run, query);
    const others = alike.get(String(ranking));
    if (others === undefined) alike.set(String(ranking), { ranking, runs: [run] });
    else others.runs.push(run);
    yield 1;
  }
  const ranked: RankedRun[] = [];
  let rank = 1;
  for (const { ranking, runs: equal } of [...alike.values()].sort((a, b) => comparePlaces(a.ranking, b.ranking))) {
    for (const run of equal) {
      const first = firstPointFrom(grid, run.startMs);
      const end = firstPointFrom(grid, run.endMs);
      ranked.push({ run, ranking, first, end, rank });
      rank += end - first;
      yield 1;
    }
  }
  return ranked;
}

function byStart(runs: readonly RankedRun[]): readonly RankedRun[] {
  return [...runs].sort((a, b) => a.first - b.first);
}

interface FoundSlot {
  readonly ranked: RankedRun;
  readonly index: number;
  /** Its place in the order of the page. */
  readonly place: readonly number[];
}

function* pageOf(
  runs: readonly RankedRun[],
  grid: readonly number[],
  order: SlotOrder,
  after: readonly number[] | undefined,
  limit: number,
): Generator<FoundSlot> {
  const passed = after?.slice(0, -1);
  const goesOnAt = firstPointFrom(grid, (after?.at(-1) ?? Number.NEGATIVE_INFINITY) + 1);
  let found = 0;
  for (const ranked of runs) {
    const prefix = order === 'rank' ? ranked.ranking : [];
    const isBehind = passed === undefined ? 1 : comparePlaces(prefix, passed);
    if (isBehind < 0) continue;
    const first = isBehind > 0 ? ranked.first : Math.max(ranked.first, goesOnAt);
    for (let index = first; index < ranked.end; index += 1) {
      yield { ranked, index, place: [...prefix, grid[index] ?? ranked.run.endMs] };
      found += 1;
      if (found === limit) return;
    }
  }
}

function slotAt(
  { run, first, rank }: RankedRun,
  index: number,
  grid: readonly number[],
  query: ResolvedQuery,
): AvailableSlot {
  const startMs = grid[index] ?? run.startMs;
  const endMs = startMs + query.durationMs;
  return {
    startMs,
    endMs,
    start: formatInstant(query.timeZone, startMs, query.zones),
    end: formatInstant(query.timeZone, endMs, query.zones),
    ...attendanceOf(run, query),
    rank: rank + index - first,
    reason: reasonOf(run, query),
  };
}
