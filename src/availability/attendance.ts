import type { OfferedRun } from './offered-runs.ts';
import type { ResolvedQuery } from './resolve-query.ts';

/** Participants of a slot, by their ids in the order of the query. */
export interface Attendance {
  /** Those who are taken: required, chosen, and optional ones who are free. */
  readonly participants: readonly string[];
  /** Optional participants who are not free. */
  readonly absent: readonly string[];
}

/** Returns who is taken by the slots of a run. */
export function attendanceOf({ optional, chosen }: OfferedRun, query: ResolvedQuery): Attendance {
  const taken = new Set([...query.required, ...[optional, ...chosen].flat().map(({ host }) => host)]);
  return {
    participants: query.participants.filter((participant) => taken.has(participant)).map(({ id }) => id),
    absent: query.optional.filter((participant) => !taken.has(participant)).map(({ id }) => id),
  };
}

/** Returns what decides the rank of a run's slots, the weightiest first; less is better: optional participants who are absent, turns. */
export function rankingOf({ optional, chosen }: OfferedRun, query: ResolvedQuery): readonly [number, number] {
  const turns = chosen.flat().reduce((sum, { turn }) => sum + turn, 0);
  return [query.optional.length - optional.length, turns];
}

/** Says in words what decides the rank of a run's slots. */
export function reasonOf({ optional, chosen }: OfferedRun, query: ResolvedQuery): string {
  const reasons: string[] = [];
  if (query.required.length > 0) reasons.push('all required participants are free');
  if (query.optional.length > 0)
    reasons.push(`optional participants free: ${optional.length} of ${query.optional.length}`);
  for (const [index, { groupId, members }] of query.pools.entries()) {
    const picked = chosen[index] ?? [];
    const names = picked.map(({ host }) => host.id).join(', ');
    const isNext = picked.every(({ turn }) => turn === 0);
    if (groupId !== undefined) reasons.push(`${names} of the ${members.length} in ${groupId}`);
    else reasons.push(isNext ? `${names} is next in line` : `${names} is first in line of the hosts who are free`);
  }
  return reasons.join('; ');
}
