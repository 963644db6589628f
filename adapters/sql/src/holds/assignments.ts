import { hostLine } from 'kalends/availability';
import type { AssignmentCount, AssignmentOrder, Candidate } from 'kalends/ports';
import type { Kysely, Transaction } from 'kysely';
import { OPEN, type Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { lists, oneOf, statement } from '../statements/statement.ts';

/** The assignment of a booking counts until it is cancelled. */
export const STANDING = OPEN;

/** Counts the assignments of accounts in a pool that stand now. */
export async function countAssignments(
  dialect: SqlDialect,
  database: Kysely<Tables>,
  pool: { readonly applicationId: string; readonly name: string; readonly sinceMs: number | null },
  { accountIds, now }: { readonly accountIds: readonly string[]; readonly now: number },
): Promise<readonly AssignmentCount[]> {
  const run = statement(dialect, database);
  const counts: AssignmentCount[] = [];
  for (const part of lists(accountIds)) {
    const rows = await run<AssignmentCount>`
      select account_id as "accountId", count(*) as assignments, max(assigned_at) as "lastAssignedMs" from kalends_assignment
      where account_id ${oneOf(part)} and pool = ${pool.name} and assigned_at >= ${pool.sinceMs ?? 0} and counts_until > ${now}
        and application_id = ${pool.applicationId}
      group by account_id`;
    counts.push(...rows);
  }
  return counts;
}

/** Returns the candidate who is first in line. The candidates have to be locked. */
export async function chooseCandidate(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  applicationId: string,
  { pool, sinceMs, candidates }: AssignmentOrder,
  now: number,
): Promise<Candidate | undefined> {
  const accountIds = candidates.map(({ accountId }) => accountId);
  const of = { applicationId, name: pool, sinceMs };
  const counts = await countAssignments(dialect, transaction, of, { accountIds, now });
  const [first] = hostLine(
    candidates.map((candidate) => {
      const counted = counts.find(({ accountId }) => accountId === candidate.accountId);
      const { assignments, lastAssignedMs } = counted ?? {};
      return { id: candidate.accountId, weight: candidate.weight, assignments, lastAssignedMs, candidate };
    }),
  );
  return first?.host.candidate;
}

/** Lets the assignment of a hold, if it has one, count until then. */
export async function countUntil(transaction: Transaction<Tables>, holdId: string, until: number): Promise<void> {
  await transaction
    .updateTable('kalends_assignment')
    .set({ counts_until: until })
    .where('hold_id', '=', holdId)
    .execute();
}
