import { seededRandom } from '@kalends/conformance';
import { ProviderError } from 'kalends/ports';
import { createWakeUp } from 'kalends/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { accountRow, applicationRow, credentialRow } from '../../adapters/conformance/src/storage/world.ts';
import { createHeldLeases } from '../../src/leases/held-leases.ts';
import { createPollPlan } from '../../src/pull/poll-plan.ts';
import { type PullWorkerDeps, runPullWorker } from '../../src/pull/pull-worker.ts';
import { resolveSyncSettings } from '../../src/pull/sync-settings.ts';
import { openInMemory } from '../storages/opened-storage.ts';

const silent = () => undefined;
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };
const HANGS_MS = 60_000;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A worker over accounts of some calendars each, which are all due; those of a server that hangs run into the timeout. */
async function workerOver(accounts: readonly { readonly id: string; readonly hangs: boolean }[], calendars: number) {
  const { clock, storage } = await openInMemory();
  await storage.applications.create(applicationRow());
  const { applicationId } = accountRow();
  const keyOf = (accountId: string, index: number) => ({ applicationId, accountId, calendarId: `cal_${index}` });
  for (const [place, { id }] of accounts.entries()) {
    const row = accountRow({ id, email: `${id}@example.com`, providerAccountId: id });
    await storage.accounts.save(row, credentialRow({ id: `crd_${id}`, accountId: id }));
    for (let index = 0; index < calendars; index += 1) {
      await storage.schedule.dueBy(keyOf(id, index), clock.now() - 1_000 + place);
    }
  }
  const pulled: string[] = [];
  const random = seededRandom(1);
  const settings = resolveSyncSettings({});
  const plan = createPollPlan({ storage, clock, random, settings, budget: { backoffFactor: () => 1 } });
  const deps = {
    storage,
    clock,
    random,
    settings,
    logger: SILENT,
    leases: createHeldLeases(storage.leases, { clock, logger: SILENT }),
    plan,
    due: createWakeUp(clock),
    toPublicError: (error: unknown) => error,
    accounts: { get: async (_applicationId: string, id: string) => ({ row: { id } }) },
    coordinator: {
      async pullDue(
        { row }: { readonly row: { readonly id: string } },
        key: Parameters<typeof storage.schedule.get>[0],
      ) {
        pulled.push(row.id);
        const schedule = await storage.schedule.get(key);
        const failures = schedule.failures + 1;
        if (accounts.some(({ id, hangs }) => id === row.id && hangs)) {
          await clock.sleep(HANGS_MS);
          const error = new ProviderError('timeout', 'the provider did not answer in time');
          await storage.schedule.finish(key, {
            failures,
            dueAt: await plan.afterFailure(key, schedule, failures, error),
          });
          throw error;
        }
        await storage.schedule.finish(key, { failures: 0, dueAt: clock.now() + 300_000 });
      },
    },
  } as unknown as PullWorkerDeps;
  const stopping = new AbortController();
  const running = runPullWorker(deps, stopping.signal);
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      await clock.advance(1_000);
      for (let i = 0; i < 20; i++) await turn();
    }
  };
  onTestFinished(async () => {
    stopping.abort();
    await pass(HANGS_MS + 1_000);
    await running;
    await storage.close();
  });
  return { storage, clock, pulled, pass, keyOf };
}

test('after a timeout, the other calendars of the account are put off as if each had failed', async () => {
  const { storage, clock, pulled, pass, keyOf } = await workerOver([{ id: 'acc_0', hangs: true }], 30);
  await pass(HANGS_MS + 2_000);
  expect(pulled).toHaveLength(3);
  for (const index of [0, 29]) {
    const { failures, dueAt } = await storage.schedule.get(keyOf('acc_0', index));
    expect(failures).toBe(1);
    expect(dueAt).toBeGreaterThan(clock.now());
  }
  await pass(1_800_000);
  // Three at a time, once for each of the doubling waits: 10 s, 20 s and so on.
  expect(pulled.length).toBeLessThanOrEqual(3 * 7);
});

test('accounts of a server that hangs leave their slots to the others', async () => {
  const hanging = Array.from({ length: 12 }, (_, index) => ({ id: `acc_h${index}`, hangs: true }));
  const { pulled, pass } = await workerOver([...hanging, { id: 'acc_sound', hangs: false }], 3);
  await pass(25_000);
  expect(pulled.filter((id) => id === 'acc_sound')).toHaveLength(3);
});

test('more accounts on servers that hang than there are slots leave some to the others', async () => {
  const hanging = Array.from({ length: 80 }, (_, index) => ({ id: `acc_h${index}`, hangs: true }));
  const { storage, clock, pulled, pass, keyOf } = await workerOver([...hanging, { id: 'acc_sound', hangs: false }], 1);
  await pass(300_000);
  expect(new Set(pulled).size).toBe(81);
  const before = pulled.filter((id) => id === 'acc_sound').length;
  await storage.schedule.dueBy(keyOf('acc_sound', 0), clock.now());
  await pass(20_000);
  expect(pulled.filter((id) => id === 'acc_sound').length).toBeGreaterThan(before);
});
