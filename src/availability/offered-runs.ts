import { type IntervalSet, intersect, normalize, type Slot } from '../free-busy/index.ts';
import { DAY_MS } from '../zones/index.ts';
import { type HostInLine, hostLine } from './host-line.ts';
import { possibleStarts } from './possible-starts.ts';
import type { ResolvedParticipant, ResolvedQuery } from './resolve-query.ts';
import type { Steps } from './steps.ts';

/** Looked at in the time of one step. */
const CANDIDATES_PER_STEP = 50;

export type Candidate = HostInLine<ResolvedParticipant>;

/** Starts `[startMs, endMs)` of slots that take the same participants. */
export interface OfferedRun extends Slot {
  /** Optional participants who are free. */
  readonly optional: readonly Candidate[];
  /** Participants that were chosen, for each pool of the query. */
  readonly chosen: readonly (readonly Candidate[])[];
}

/** Runs in ascending order, neither overlapping nor alike where they touch. */
export interface Offer {
  readonly runs: readonly OfferedRun[];
  /** All hosts in line. */
  readonly line: readonly Candidate[];
  /** The turn of the hosts who are offered; undefined if the hosts of every turn are. */
  readonly turn: number | undefined;
}

/**
 * Returns all starts that fit every rule but the step. With `max-fairness` they are those of the hosts of the first turn that have
 * a run with room for a slot.
 */
export function* offeredRuns(query: ResolvedQuery, hasRoom: (run: Slot) => boolean): Steps<Offer> {
  const starts = new Map<ResolvedParticipant, IntervalSet>();
  for (const participant of query.participants) {
    const possible = possibleStarts(participant, query);
    starts.set(participant, possible);
    yield participant.busyTime.length + possible.length;
  }
  const line = hostLine(query.hosts);
  if (!query.isFairest || line.length === 0) {
    return { runs: yield* runsWithRoom(query, starts, line, hasRoom), line, turn: undefined };
  }
  for (const turn of new Set(line.map((candidate) => candidate.turn))) {
    const hosts = line.filter((candidate) => candidate.turn === turn);
    const runs = yield* runsWithRoom(query, starts, hosts, hasRoom);
    if (runs.length > 0) return { runs, line, turn };
  }
  return { runs: [], line, turn: undefined };
}

function* runsWithRoom(
  query: ResolvedQuery,
  starts: ReadonlyMap<ResolvedParticipant, IntervalSet>,
  hosts: readonly Candidate[],
  hasRoom: (run: Slot) => boolean,
): Steps<readonly OfferedRun[]> {
  const runs: OfferedRun[] = [];
  for (const run of yield* sweepRuns(query, starts, hosts)) {
    if (hasRoom(run)) runs.push(run);
    yield 1;
  }
  return runs;
}

/** Candidates in line, and how many of those who are free a slot takes. */
interface Choice {
  readonly least: number;
  readonly most: number;
  readonly line: readonly Candidate[];
  readonly free: Set<Candidate>;
  /** The same array while the same candidates are chosen. */
  picked: readonly Candidate[];
}

interface Edge {
  readonly atMs: number;
  readonly apply: () => void;
}

/** Walks once over the edges of all sets of starts; between two edges nothing changes. */
function* sweepRuns(
  query: ResolvedQuery,
  starts: ReadonlyMap<ResolvedParticipant, IntervalSet>,
  hosts: readonly Candidate[],
): Steps<readonly OfferedRun[]> {
  const startsOf = (participant: ResolvedParticipant) => starts.get(participant) ?? [];
  let base = everyStart(query);
  for (const participant of query.required) {
    base = intersect(base, startsOf(participant));
    yield base.length;
  }
  const [optional, ...pools] = choicesOf(query, hosts);
  const candidates = [optional, ...pools].reduce((sum, { line }) => sum + line.length, 0);
  const days = new Map<number, Edge[]>();
  for (const choice of [optional, ...pools]) {
    for (const candidate of choice.line) {
      const set = intersect(base, startsOf(candidate.host));
      addEdges(days, choice, candidate, set);
      yield set.length;
    }
  }
  const edges = yield* inOrder(days);
  const runs: OfferedRun[] = [];
  let next = 0;
  for (const { startMs, endMs } of base) {
    for (let atMs = startMs; atMs < endMs; ) {
      for (; (edges[next]?.atMs ?? endMs) <= atMs; next += 1) edges[next]?.apply();
      const untilMs = Math.min(endMs, edges[next]?.atMs ?? endMs);
      for (const choice of [optional, ...pools]) pick(choice);
      if (pools.every(({ picked, least }) => picked.length >= least)) {
        const chosen = pools.map(({ picked }) => picked);
        addRun(runs, { startMs: atMs, endMs: untilMs, optional: optional.picked, chosen });
      }
      atMs = untilMs;
      yield 1 + candidates / CANDIDATES_PER_STEP;
    }
  }
  return runs;
}

function everyStart({ window, earliestMs, durationMs }: ResolvedQuery): IntervalSet {
  return normalize([{ startMs: earliestMs, endMs: window.endMs - durationMs + 1 }]);
}

function choicesOf(query: ResolvedQuery, hosts: readonly Candidate[]): [Choice, ...Choice[]] {
  const choice = (line: readonly Candidate[], least: number, most: number): Choice => ({
    line,
    least,
    most,
    free: new Set(),
    picked: [],
  });
  const optional = query.optional.map((host) => ({ host, turn: 0 }));
  const pools = query.pools.map(({ groupId, members, take }) =>
    choice(groupId === undefined ? hosts : hostLine(members), take, take),
  );
  return [choice(optional, 0, optional.length), ...pools];
}

function addEdges(days: Map<number, Edge[]>, { free }: Choice, candidate: Candidate, set: IntervalSet): void {
  const add = (atMs: number, apply: () => void) => {
    const day = Math.floor(atMs / DAY_MS);
    const edges = days.get(day);
    if (edges === undefined) days.set(day, [{ atMs, apply }]);
    else edges.push({ atMs, apply });
  };
  const begin = () => free.add(candidate);
  const end = () => free.delete(candidate);
  for (const { startMs, endMs } of set) {
    add(startMs, begin);
    add(endMs, end);
  }
}

/** Sorts edges day by day: to sort those of a year at once would take the event loop for too long. */
function* inOrder(days: ReadonlyMap<number, Edge[]>): Steps<readonly Edge[]> {
  const ordered: Edge[] = [];
  for (const [, edges] of [...days].sort(([a], [b]) => a - b)) {
    for (const edge of edges.sort((a, b) => a.atMs - b.atMs)) ordered.push(edge);
    yield edges.length;
  }
  return ordered;
}

function pick(choice: Choice): void {
  const { line, free, most, picked } = choice;
  const now: Candidate[] = [];
  for (const candidate of line) {
    if (now.length >= Math.min(most, free.size)) break;
    if (free.has(candidate)) now.push(candidate);
  }
  const isSame = now.length === picked.length && now.every((candidate, index) => candidate === picked[index]);
  if (!isSame) choice.picked = now;
}

/** Adds a run, or extends the last one if the same participants are free. */
function addRun(runs: OfferedRun[], run: OfferedRun): void {
  const last = runs.at(-1);
  const isSame =
    last?.endMs === run.startMs &&
    last.optional === run.optional &&
    last.chosen.every((picked, index) => picked === run.chosen[index]);
  if (isSame) runs[runs.length - 1] = { ...last, endMs: run.endMs };
  else runs.push(run);
}
