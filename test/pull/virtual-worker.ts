import { type ManualClock, seededRandom } from '@kalends/conformance';
import type { Provider, Storage } from 'kalends/ports';
import { createWakeUp } from 'kalends/runtime';
import { onTestFinished } from 'vitest';
import { accountRow, applicationRow, credentialRow } from '../../adapters/conformance/src/storage/world.ts';
import type { AccountAccess } from '../../src/accounts/account-access.ts';
import { createHeldLeases } from '../../src/leases/held-leases.ts';
import { createProviderBudget } from '../../src/leases/provider-budget.ts';
import type { EngineOptions } from '../../src/options.ts';
import { createPulls } from '../../src/pull/create-pulls.ts';
import { resolveSyncSettings } from '../../src/pull/sync-settings.ts';
import { openInMemory } from '../storages/opened-storage.ts';

const silent = () => undefined;
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };
const STEP_MS = 10_000;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

export interface VirtualWorker {
  /** Lets virtual time pass, and the work that falls due in it end. */
  pass(ms: number): Promise<void>;
  /** The schedule of an account's list, or of one of its calendars. */
  scheduleOf(accountId: string, calendarId?: string): ReturnType<Storage['schedule']['get']>;
  /** Makes a list, or a calendar, due now. */
  dueNow(accountId: string, calendarId?: string): Promise<void>;
}

/** The background pulls of one process, in virtual time, over accounts whose lists are due in their order. */
export async function startVirtualWorker(
  accountIds: readonly string[],
  providerOver: (clock: ManualClock) => Pick<Provider, 'calendars' | 'events'>,
  sync: EngineOptions['sync'] = {},
): Promise<VirtualWorker> {
  const { clock, storage } = await openInMemory();
  await storage.applications.create(applicationRow());
  const { applicationId } = accountRow();
  const keyOf = (accountId: string, calendarId: string | null = null) => ({ applicationId, accountId, calendarId });
  for (const [place, id] of accountIds.entries()) {
    const row = accountRow({ id, email: `${id}@example.com`, providerAccountId: id });
    await storage.accounts.save(row, credentialRow({ id: `crd_${id}`, accountId: id }));
    await storage.schedule.dueBy(keyOf(id), clock.now() - 1_000 + place);
  }
  const provider = { name: 'fake', mappingVersion: 1, ...providerOver(clock) } as Provider;
  const accounts = {
    get: async (_applicationId: string, id: string) => ({ row: accountRow({ id }), provider }),
    session: ({ row }: { readonly row: { readonly id: string } }, signal: AbortSignal | undefined) => ({
      accountId: row.id,
      ...(signal === undefined ? {} : { signal }),
    }),
  } as unknown as AccountAccess;
  const pulls = createPulls({
    storage,
    clock,
    accounts,
    random: seededRandom(1),
    settings: resolveSyncSettings(sync),
    leases: createHeldLeases(storage.leases, { clock, logger: SILENT }),
    budget: createProviderBudget({ storage, clock, logger: SILENT, budgets: {} }),
    due: createWakeUp(clock),
    logger: SILENT,
    enqueued: silent,
    listChanged: async () => undefined,
    toPublicError: (error) => error,
    readOften: silent,
  });
  const stopping = new AbortController();
  const running = pulls.run(stopping.signal);
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await clock.advance(STEP_MS);
      for (let i = 0; i < 5; i++) await turn();
    }
  };
  onTestFinished(async () => {
    stopping.abort(new Error('The test has ended.'));
    // Providers that ignore the signal notice it with their next page.
    await pass(60_000);
    await running;
    await pulls.close();
    await storage.close();
  });
  return {
    pass,
    scheduleOf: (accountId, calendarId) => storage.schedule.get(keyOf(accountId, calendarId)),
    dueNow: (accountId, calendarId) => storage.schedule.dueBy(keyOf(accountId, calendarId), clock.now()),
  };
}
