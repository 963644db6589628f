import { noAccount } from '../accounts/index.ts';
import type { ProviderBudget } from '../leases/index.ts';
import type { CollectionHealth, SyncHealth } from '../model/index.ts';
import type { ChannelRow, Clock, ScheduleRow, Storage } from '../ports/index.ts';
import { progressOf } from './sync-now.ts';

/** Creates the reader of the state of an account's sync. `since`: begin of the sync whose progress is wanted. */
export function createSyncHealth(dependencies: {
  readonly storage: Pick<Storage, 'accounts' | 'schedule' | 'channels' | 'mirror'>;
  readonly budget: Pick<ProviderBudget, 'backoffFactor'>;
  readonly clock: Clock;
}): (applicationId: string, accountId: string, since: number | undefined) => Promise<SyncHealth> {
  const { storage, budget, clock } = dependencies;
  return async (applicationId, accountId, since) => {
    const account = await storage.accounts.find(applicationId, accountId);
    if (account === undefined) throw noAccount();
    const rows = await storage.schedule.list({ applicationId, accountId });
    const unreadable = await storage.mirror.countUnreadable(applicationId, accountId);
    const setAside = new Map(unreadable.map(({ calendarId, count }) => [calendarId, count]));
    const collections: CollectionHealth[] = [];
    for (const row of rows) {
      const channels = await storage.channels.list({ applicationId, accountId, calendarId: row.calendarId });
      collections.push(viewCollection(row, channels, setAside.get(row.calendarId) ?? 0));
    }
    // The cool-down is the account's, and the same in each of its schedules.
    const coolDownUntil = Math.max(0, ...rows.map(({ notBefore }) => notBefore));
    return {
      status: account.status,
      coolDownUntil: coolDownUntil > clock.now() ? isoText(coolDownUntil) : null,
      backoffFactor: budget.backoffFactor(accountId),
      progress: since === undefined ? null : progressOf(rows, since),
      collections,
    };
  };
}

function viewCollection(row: ScheduleRow, channels: readonly ChannelRow[], setAside: number): CollectionHealth {
  // Without an answer of the provider a channel is not open yet.
  const channel = channels.find(({ providerChannelId }) => providerChannelId !== null);
  return {
    calendarId: row.calendarId,
    syncedAt: isoOrNull(row.syncedAt),
    pollEveryMs: row.pollEveryMs,
    dueAt: isoOrNull(row.dueAt),
    isPushPending: row.hintSeq > row.clearedHintSeq,
    channel: channel === undefined ? null : { kind: channel.kind, expiresAt: isoText(channel.expiresAt) },
    setAside,
    failures: row.failures,
    lastFailure: row.lastFailure && { code: row.lastFailure.code, at: isoText(row.lastFailure.at) },
    missingSince: isoOrNull(row.missingSince),
  };
}

const isoText = (at: number) => new Date(at).toISOString();

const isoOrNull = (at: number | null) => (at === null ? null : isoText(at));
