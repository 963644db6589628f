import type { Slot } from '../free-busy/index.ts';
import { formatInstant, type Zones } from '../zones/index.ts';
import { type Attendance, attendanceOf } from './attendance.ts';
import type { AvailabilityQuery } from './availability-query.ts';
import { type OfferedRun, offeredRuns } from './offered-runs.ts';
import { limitOf, type PageOptions, readCursor, writeCursor } from './pages.ts';
import { type ResolvedQuery, resolveQuery } from './resolve-query.ts';
import { allAtOnce, type Steps } from './steps.ts';

const MINUTE_MS = 60_000;

/**
 * A range of time in which the same participants can meet: at any time of the query's duration that begins at a whole minute and lies
 * within `[startMs, endMs)`. Where the participants change, two ranges overlap.
 */
export interface AvailableRange extends Slot, Attendance {
  /** `startMs` in the zone of the query. */
  readonly start: string;
  readonly end: string;
}

/** One page of ranges. */
export interface RangePage {
  /** Zone of the query. */
  readonly timeZone: string;
  /** Ascending by start. */
  readonly ranges: readonly AvailableRange[];
  /** Ids of the hosts, the one who is due for the next assignment first. Empty unless the query is round-robin. */
  readonly line: readonly string[];
  /** Cursor of the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/**
 * Returns a page of the ranges of time in which the participants can meet. The step of the query is not regarded.
 * @throws AvailabilityError for a field that violates a rule; it names both.
 */
export function availableRanges(query: AvailabilityQuery, options: PageOptions = {}, zones?: Zones): RangePage {
  return allAtOnce(availableRangesInSteps(query, options, zones));
}

/** Does the work of `availableRanges` in steps. */
export function* availableRangesInSteps(
  query: AvailabilityQuery,
  options: PageOptions = {},
  zones?: Zones,
): Steps<RangePage> {
  const limit = limitOf(options);
  const [after = Number.NEGATIVE_INFINITY] = readCursor(options, 'range', 1) ?? [];
  const resolved = yield* resolveQuery(query, zones);
  const { runs, line } = yield* offeredRuns(resolved, (run) => lastMinuteOf(run) >= firstMinuteOf(run));
  const rest = (yield* rangesOf(runs, resolved)).filter(({ startMs }) => startMs > after);
  const ranges = rest.slice(0, limit);
  const last = rest.length > limit ? ranges.at(-1) : undefined;
  return {
    timeZone: resolved.timeZone,
    ranges: ranges.map((range) => shownRange(range, resolved)),
    line: line.map(({ host }) => host.id),
    nextCursor: last === undefined ? null : writeCursor('range', [last.startMs]),
  };
}

/** Returns the first start at a whole minute. */
function firstMinuteOf({ startMs }: Slot): number {
  return Math.ceil(startMs / MINUTE_MS) * MINUTE_MS;
}

/** Returns the last start at a whole minute; before the first one if there is none. */
function lastMinuteOf({ endMs }: Slot): number {
  return Math.floor((endMs - 1) / MINUTE_MS) * MINUTE_MS;
}

function* rangesOf(runs: readonly OfferedRun[], query: ResolvedQuery): Steps<readonly (Slot & Attendance)[]> {
  const ranges: (Slot & Attendance)[] = [];
  for (const run of runs) {
    const startMs = firstMinuteOf(run);
    const range = { startMs, endMs: lastMinuteOf(run) + query.durationMs, ...attendanceOf(run, query) };
    const last = ranges.at(-1);
    // Runs that end within a minute leave the same participants on both sides.
    const isSame =
      last !== undefined &&
      last.endMs - query.durationMs + MINUTE_MS === startMs &&
      String(last.participants) === String(range.participants);
    if (isSame) ranges[ranges.length - 1] = { ...range, startMs: last.startMs };
    else ranges.push(range);
    yield query.participants.length;
  }
  return ranges;
}

function shownRange(range: Slot & Attendance, { timeZone, zones }: ResolvedQuery): AvailableRange {
  const text = (epochMs: number) => formatInstant(timeZone, epochMs, zones);
  return { ...range, start: text(range.startMs), end: text(range.endMs) };
}
