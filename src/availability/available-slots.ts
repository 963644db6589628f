import { formatInstant, type Zones } from '../zones/index.ts';
import { type Attendance, attendanceOf, rankingOf, reasonOf } from './attendance.ts';
import { AvailabilityError } from './availability-error.ts';
import type { AvailabilityQuery } from './availability-query.ts';
import { type OfferedRun, offeredRuns } from './offered-runs.ts';
import { comparePlaces, limitOf, type PageOptions, readCursor, writeCursor } from './pages.ts';
import { type ResolvedQuery, resolveQuery } from './resolve-query.ts';
import { firstPointFrom, hasPoint, startGrid } from './start-grid.ts';

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
  const order = orderOf(options);
  const limit = limitOf(options);
  const after = readCursor(options, order, order === 'start' ? 1 : 3);
  const resolved = resolveQuery(query, zones);
  const grid = startGrid(resolved);
  const { runs, line } = offeredRuns(resolved, (run) => hasPoint(grid, run));
  const ranked = rankRuns(runs, resolved, grid);
  const found = [...pageOf(order === 'rank' ? ranked : byStart(ranked), grid, order, after, limit + 1)];
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return {
    timeZone: resolved.timeZone,
    slots: shown.map(({ ranked: of, index }) => slotAt(of, index, grid, resolved)),
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
function rankRuns(runs: readonly OfferedRun[], query: ResolvedQuery, grid: readonly number[]): readonly RankedRun[] {
  const sorted = runs
    .map((run) => ({ run, ranking: rankingOf(run, query) }))
    .sort((a, b) => comparePlaces([...a.ranking, a.run.startMs], [...b.ranking, b.run.startMs]));
  let rank = 1;
  return sorted.map(({ run, ranking }) => {
    const first = firstPointFrom(grid, run.startMs);
    const end = firstPointFrom(grid, run.endMs);
    const ranked = { run, ranking, first, end, rank };
    rank += end - first;
    return ranked;
  });
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
  let found = 0;
  for (const ranked of runs) {
    const prefix = order === 'rank' ? ranked.ranking : [];
    const placeOf = (index: number) => [...prefix, grid[index] ?? ranked.run.endMs];
    // A whole run before the cursor is passed in one step.
    if (after !== undefined && comparePlaces(placeOf(ranked.end - 1), after) <= 0) continue;
    for (let index = ranked.first; index < ranked.end; index += 1) {
      const place = placeOf(index);
      if (after !== undefined && comparePlaces(place, after) <= 0) continue;
      yield { ranked, index, place };
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
