import { seededRandom } from '@kalends/conformance';
import type { EventPage, Provider } from 'kalends/ports';
import { createWakeUp } from 'kalends/runtime';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { accountRow, applicationRow, credentialRow } from '../../adapters/conformance/src/storage/world.ts';
import type { AccountAccess } from '../../src/accounts/account-access.ts';
import { createHeldLeases } from '../../src/leases/held-leases.ts';
import { createProviderBudget } from '../../src/leases/provider-budget.ts';
import { createPulls } from '../../src/pull/create-pulls.ts';
import { resolveSyncSettings } from '../../src/pull/sync-settings.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';
import { openInMemory } from '../storages/opened-storage.ts';

const silent = () => undefined;
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };
const HOUR_MS = 3_600_000;
const PAGE_MS = 30_000;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A worker over accounts whose lists are due; those of a server that goes on yield a page every 30 s. */
async function workerOver(endless: number, sound: number) {
  const { clock, storage } = await openInMemory();
  await storage.applications.create(applicationRow());
  const { applicationId } = accountRow();
  const ids = [
    ...Array.from({ length: endless }, (_, at) => `acc_e${at}`),
    ...Array.from({ length: sound }, (_, at) => `acc_s${at}`),
  ];
  for (const [place, id] of ids.entries()) {
    const row = accountRow({ id, email: `${id}@example.com`, providerAccountId: id });
    await storage.accounts.save(row, credentialRow({ id: `crd_${id}`, accountId: id }));
    await storage.schedule.dueBy({ applicationId, accountId: id, calendarId: null }, clock.now() - 1_000 + place);
  }
  const pulled: string[] = [];
  const calendars = {
    async *pull({ accountId }: { readonly accountId: string }) {
      pulled.push(accountId);
      // It ignores the session's signal.
      while (accountId.startsWith('acc_e')) {
        await clock.sleep(PAGE_MS);
        yield { changes: [], full: true, nextToken: null };
      }
      yield { changes: [], full: true, nextToken: null };
    },
  };
  const provider = { name: 'fake', mappingVersion: 1, calendars, events: {} } as unknown as Provider;
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
    settings: resolveSyncSettings({}),
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
    for (let left = ms; left > 0; left -= 10_000) {
      await clock.advance(10_000);
      for (let i = 0; i < 5; i++) await turn();
    }
  };
  onTestFinished(async () => {
    stopping.abort(new Error('The test has ended.'));
    await pass(2 * PAGE_MS);
    await running;
    await storage.close();
  });
  const scheduleOf = (accountId: string) => storage.schedule.get({ applicationId, accountId, calendarId: null });
  const dueNow = (accountId: string) =>
    storage.schedule.dueBy({ applicationId, accountId, calendarId: null }, clock.now());
  return { pulled, pass, scheduleOf, dueNow };
}

test('pulls without end leave their slots to accounts that wait, and count as failing', {
  timeout: 60_000,
}, async () => {
  const { pulled, pass, scheduleOf, dueNow } = await workerOver(40, 1);
  await pass(HOUR_MS - 60_000);
  expect([pulled.length, pulled.includes('acc_s0')]).toEqual([24, false]);
  await pass(4 * 60_000);
  expect(pulled).toContain('acc_s0');
  expect((await scheduleOf('acc_e0')).failures).toBe(1);
  // From now on they have the slots of failing accounts alone.
  await pass(2 * HOUR_MS);
  const before = pulled.filter((id) => id === 'acc_s0').length;
  await dueNow('acc_s0');
  await pass(60_000);
  expect(pulled.filter((id) => id === 'acc_s0').length).toBe(before + 1);
});

test('a pull of many hours goes on while others have slots', { timeout: 60_000 }, async () => {
  const { pulled, pass, scheduleOf } = await workerOver(23, 1);
  await pass(2 * HOUR_MS);
  expect(pulled).toHaveLength(new Set(pulled).size);
  expect(pulled).toContain('acc_s0');
  expect((await scheduleOf('acc_e0')).failures).toBe(0);
});

let world: SyncWorld | undefined;
afterEach(() => world?.close());

test('a pull of events without end ends with the engine', async () => {
  world = await syncWorld({ readWaitMs: 1 });
  let pages = 0;
  async function* endless(): AsyncGenerator<EventPage> {
    for (;;) {
      pages += 1;
      yield { changes: [], full: true };
    }
  }
  Object.assign(world.fake.provider.events, { pull: endless });
  const reading = world.events.list(CALLER, ACCOUNT, CALENDAR, {}).catch(() => undefined);
  while (pages < 3) await turn();
  await world.pulls.close();
  await world.clock.advance(1_000);
  await reading;
});
