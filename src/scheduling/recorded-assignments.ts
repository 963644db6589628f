import type { AvailabilityQuery as CoreQuery } from '../availability/index.ts';
import { invalid } from '../errors.ts';
import { queryInstant } from '../events/index.ts';
import type { AssignmentCount, HoldStore } from '../ports/index.ts';
import type { Question } from './core-query.ts';

/** Reads the instant from which assignments count; null when all do. @throws KalendsError InvalidRequest */
export function readSince(sinceDateTime: string | undefined, timeZone: string): number | null {
  if (sinceDateTime === undefined) return null;
  return queryInstant('roundRobin.sinceDateTime', sinceDateTime, timeZone, 'down');
}

/** Checks that the assignments of the hosts are those of a pool alone. @throws KalendsError InvalidRequest */
export function checkPool(question: Question): void {
  if (question.roundRobin === undefined) return;
  if (question.mode !== 'round-robin') throw invalid('roundRobin', 'needs the mode round-robin');
  for (const index of hostsOf(question)) {
    const { accounts = [], assignments, lastAssignedDateTime } = question.participants[index] ?? {};
    const path = `participants.${index}`;
    const rule = 'must not be given beside roundRobin, which counts the assignments of its pool';
    if (assignments !== undefined) throw invalid(`${path}.assignments`, rule);
    if (lastAssignedDateTime !== undefined) throw invalid(`${path}.lastAssignedDateTime`, rule);
    if (accounts.length === 0) throw invalid(`${path}.accounts`, 'must name an account: a pool counts by account');
  }
}

/** Returns the query with the assignments that the pool of the question has counted for its hosts. */
export async function withAssignments(
  holds: Pick<HoldStore, 'countAssigned'>,
  applicationId: string,
  question: Question,
  query: CoreQuery,
): Promise<CoreQuery> {
  const { roundRobin } = question;
  if (roundRobin === undefined) return query;
  const hosts = new Set(hostsOf(question));
  const idsOf = (index: number) => [
    ...new Set(question.participants[index]?.accounts?.map(({ endUserAccountId }) => endUserAccountId)),
  ];
  const accountIds = [...new Set([...hosts].flatMap(idsOf))];
  const sinceMs = readSince(roundRobin.sinceDateTime, query.timeZone);
  const counts = await holds.countAssigned(applicationId, roundRobin.pool, { accountIds, sinceMs });
  const countOf = new Map(counts.map((count) => [count.accountId, count]));
  return {
    ...query,
    participants: query.participants.map((participant, index) => {
      if (!hosts.has(index)) return participant;
      return { ...participant, ...sumOf(idsOf(index).flatMap((id) => countOf.get(id) ?? [])) };
    }),
  };
}

/** Adds up the accounts of a host. */
function sumOf(counts: readonly AssignmentCount[]) {
  if (counts.length === 0) return {};
  return {
    assignments: counts.reduce((sum, { assignments }) => sum + assignments, 0),
    lastAssignedMs: Math.max(...counts.map(({ lastAssignedMs }) => lastAssignedMs)),
  };
}

/** Returns the places of the hosts of a round-robin among the participants. */
function hostsOf({ participants, groups = [] }: Question): readonly number[] {
  const members = new Set(groups.flatMap((group) => group.members));
  return [...participants.entries()].flatMap(([index, { id, role }]) =>
    role === 'host' || (role === undefined && !members.has(id)) ? [index] : [],
  );
}
