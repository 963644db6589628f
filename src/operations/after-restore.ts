import type { AuditTrail } from '../audit/index.ts';
import { EMBEDDED } from '../audit/index.ts';
import type { ChannelKeeper } from '../channels/index.ts';
import type { OperationsService, RestoreFailure, RestoreReport } from '../engine-interface.ts';
import { type AccountRow, type CreationKey, type Storage, StorageUnavailableError } from '../ports/index.ts';
import { beginSync } from './sync-now.ts';

const PAGE_SIZE = 250;
/** Accounts that are named for each reason. */
const MOST_IDS = 50;

/**
 * Creates the step after a restore. The backup knows neither the pushes that came after it nor what subscribers have been told
 * since: all collections become due, and each subscriber gets a `calendar.event.unknown`, which is never merged into a message that
 * the backup has and that may have been delivered before. One of several databases may be away, or lack accounts after the restore:
 * that keeps no other account from its step.
 */
export function createAfterRestore({
  storage,
  channels,
  audit,
  wake,
}: {
  readonly storage: Pick<Storage, 'applications' | 'accounts' | 'schedule' | 'audit'>;
  readonly channels: Pick<ChannelKeeper, 'announceGap'>;
  readonly audit: AuditTrail;
  readonly wake: () => void;
}): OperationsService['resumeAfterRestore'] {
  const resume = async ({ applicationId, id: accountId }: AccountRow): Promise<number> => {
    const account = { applicationId, accountId };
    const rows = await storage.schedule.list(account);
    await beginSync(storage.schedule, account);
    for (const { calendarId } of rows) await channels.announceGap({ ...account, calendarId });
    return rows.filter(({ calendarId }) => calendarId !== null).length;
  };

  return async ({ signal, progress } = {}, by = EMBEDDED) => {
    const failures = new Map<string, RestoreFailure>();
    let report: RestoreReport = { accounts: 0, calendars: 0 };
    for await (const application of pagesOf((after) => storage.applications.list({ limit: PAGE_SIZE, ...after }))) {
      const list = (after: { readonly after?: CreationKey }) =>
        storage.accounts.list(application.id, { limit: PAGE_SIZE, ...after });
      for await (const account of pagesOf(list)) {
        signal?.throwIfAborted();
        try {
          const calendars = await resume(account);
          report = { ...report, accounts: report.accounts + 1, calendars: report.calendars + calendars };
        } catch (error) {
          if (!StorageUnavailableError.isInstance(error)) throw error;
          noteFailure(failures, account.id, error);
          report = { ...report, failures: [...failures.values()] };
        }
        progress?.(report);
      }
    }
    await storage.audit.append(audit(by, { applicationId: null, action: 'restore.resumed', target: 'installation' }));
    wake();
    return report;
  };
}

/** Counts an account for its database, which has one reason, or else for its own. */
function noteFailure(
  failures: Map<string, RestoreFailure>,
  accountId: string,
  { database, message }: StorageUnavailableError,
): void {
  const key = database ?? message;
  const { reason, accounts, accountIds } = failures.get(key) ?? { reason: message, accounts: 0, accountIds: [] };
  failures.set(key, {
    reason,
    accounts: accounts + 1,
    accountIds: accounts < MOST_IDS ? [...accountIds, accountId] : accountIds,
  });
}

async function* pagesOf<Row extends CreationKey>(
  list: (after: { readonly after?: CreationKey }) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let after: CreationKey | undefined; ; ) {
    const page: readonly Row[] = await list(after === undefined ? {} : { after });
    yield* page;
    after = page.at(-1);
    if (after === undefined || page.length < PAGE_SIZE) return;
  }
}
