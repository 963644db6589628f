import type { Slot } from '../free-busy/index.ts';
import { formatInstant, type Zones } from '../zones/index.ts';
import type { AvailabilityQuery } from './availability-query.ts';
import { checkWhole } from './check-values.ts';
import { offeredRuns } from './offered-runs.ts';
import { type Pool, type ResolvedParticipant, type ResolvedQuery, resolveQuery } from './resolve-query.ts';
import { obstaclesOf, obstaclesOfTime, type SlotObstacle } from './slot-obstacles.ts';
import { hasPoint, startGrid } from './start-grid.ts';
import { allAtOnce, type Steps } from './steps.ts';

/** Why a slot is offered, or why not. */
export interface SlotExplanation extends Slot {
  /** `startMs` in the zone of the query. */
  readonly start: string;
  readonly end: string;
  /** Whether `availableSlots` has it. */
  readonly isOffered: boolean;
  /** The rules that stand against the slot; empty if it is offered. */
  readonly obstacles: readonly SlotObstacle[];
  /** Each participant, in the order of the query, optional ones and members of groups too. */
  readonly participants: readonly {
    readonly id: string;
    readonly isFree: boolean;
    readonly obstacles: readonly SlotObstacle[];
  }[];
}

type ObstaclesOf = ReadonlyMap<ResolvedParticipant, readonly SlotObstacle[]>;

/**
 * Returns every rule that stands against the slot that starts at an instant.
 * @throws AvailabilityError for a field that violates a rule; it names both.
 */
export function explainSlot(query: AvailabilityQuery, startMs: number, zones?: Zones): SlotExplanation {
  return allAtOnce(explainSlotInSteps(query, startMs, zones));
}

/** Does the work of `explainSlot` in steps. */
export function* explainSlotInSteps(query: AvailabilityQuery, startMs: number, zones?: Zones): Steps<SlotExplanation> {
  checkWhole('startMs', startMs);
  const resolved = yield* resolveQuery(query, zones);
  const { timeZone, durationMs, participants } = resolved;
  const slot = { startMs, endMs: startMs + durationMs };
  const own = new Map<ResolvedParticipant, readonly SlotObstacle[]>();
  for (const participant of participants) {
    own.set(participant, obstaclesOf(participant, slot, resolved));
    yield participant.busy.length;
  }
  const obstacles = [
    ...obstaclesOfTime(slot, resolved),
    ...resolved.required.flatMap((participant) => own.get(participant) ?? []),
    ...resolved.pools.flatMap((pool) => poolObstacles(pool, own)),
    ...(yield* lineObstacles(resolved, own)),
  ];
  return {
    ...slot,
    start: formatInstant(timeZone, slot.startMs, resolved.zones),
    end: formatInstant(timeZone, slot.endMs, resolved.zones),
    isOffered: obstacles.length === 0,
    obstacles,
    participants: [...own].map(([{ id }, found]) => ({ id, isFree: found.length === 0, obstacles: found })),
  };
}

function freeOf(members: readonly ResolvedParticipant[], own: ObstaclesOf): readonly ResolvedParticipant[] {
  return members.filter((member) => own.get(member)?.length === 0);
}

function poolObstacles({ groupId, members, take }: Pool, own: ObstaclesOf): readonly SlotObstacle[] {
  const free = freeOf(members, own).length;
  if (free >= take) return [];
  if (groupId === undefined) return [{ code: 'no-host', text: `none of the ${members.length} hosts is free` }];
  const text = `${groupId} needs ${take} of its ${members.length} members, and ${free} can come`;
  return [{ code: 'too-few-in-group', text, groupId }];
}

/** Returns the obstacle that the free hosts are not those of the turn that is offered. */
function* lineObstacles(query: ResolvedQuery, own: ObstaclesOf): Steps<readonly SlotObstacle[]> {
  const free = freeOf(query.hosts, own);
  if (!query.isFairest || free.length === 0) return [];
  const grid = startGrid(query);
  const { line, turn } = yield* offeredRuns(query, (run) => hasPoint(grid, run));
  const next = line.filter((candidate) => candidate.turn === turn).map(({ host }) => host);
  if (turn === undefined || next.some((host) => free.includes(host))) return [];
  const names = next.map(({ id }) => id).join(', ');
  return [{ code: 'not-next-in-line', text: `${names} is next in line and has other slots` }];
}
