import type { EventPage, Provider } from 'kalends/ports';
import { afterEach, expect, test } from 'vitest';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';
import { startVirtualWorker } from './virtual-worker.ts';

const HOUR_MS = 3_600_000;
const PAGE_MS = 30_000;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A worker over accounts whose lists are due; those of a server that goes on yield a page every 30 s. */
async function workerOver(endless: number, sound: number) {
  const ids = [
    ...Array.from({ length: endless }, (_, at) => `acc_e${at}`),
    ...Array.from({ length: sound }, (_, at) => `acc_s${at}`),
  ];
  const pulled: string[] = [];
  const worker = await startVirtualWorker(ids, (clock) => ({
    calendars: {
      async *pull({ accountId }: { readonly accountId: string }) {
        pulled.push(accountId);
        // It ignores the session's signal.
        while (accountId.startsWith('acc_e')) {
          await clock.sleep(PAGE_MS);
          yield { changes: [], full: true };
        }
        yield { changes: [], full: true, nextToken: null };
      },
    } as unknown as Provider['calendars'],
    events: {} as Provider['events'],
  }));
  return { pulled, ...worker };
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
