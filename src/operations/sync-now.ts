import type { SyncProgress } from '../model/index.ts';
import type { CollectionKey, ScheduleRow, ScheduleStore } from '../ports/index.ts';

/** Makes the calendar list and every calendar of an account due now, except those that the provider no longer lists. */
export async function beginSync(
  schedule: Pick<ScheduleStore, 'list' | 'hint'>,
  account: Pick<CollectionKey, 'applicationId' | 'accountId'>,
): Promise<void> {
  const calendars = (await schedule.list(account)).filter(isCounted).map(({ calendarId }) => calendarId);
  // A hint, not an earlier due time: a poll may leave sources of changes out, and comes after urgent pulls.
  for (const calendarId of new Set([null, ...calendars])) await schedule.hint({ ...account, calendarId });
}

/** Returns how far a sync has come that began at `since`. */
export function progressOf(rows: readonly ScheduleRow[], since: number): SyncProgress {
  const counted = rows.filter(isCounted);
  // `syncedAt` may be by another process's clock. Without a pending hint the sync's own has had its pull, whatever the clocks say.
  const isDone = ({ hintSeq, clearedHintSeq, syncedAt }: ScheduleRow) =>
    (hintSeq > 0 && clearedHintSeq >= hintSeq) || (syncedAt !== null && syncedAt >= since);
  const hasFailed = ({ lastFailure }: ScheduleRow) => lastFailure !== null && lastFailure.at >= since;
  return {
    since: new Date(since).toISOString(),
    total: counted.length,
    done: counted.filter(isDone).length,
    failed: counted.filter((row) => !isDone(row) && hasFailed(row)).length,
  };
}

const isCounted = ({ missingSince }: ScheduleRow): boolean => missingSince === null;
