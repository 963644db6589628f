import { manualClock } from '@kalends/conformance';
import { google, googleEndpoints } from '@kalends/google';
import { createHandler, type Handler } from '@kalends/http';
import { sqlite } from '@kalends/sqlite';
import { createEngine } from 'kalends';
import type { NewHold } from 'kalends/ports';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { accountRow, applicationRow, credentialRow } from '../../adapters/conformance/src/storage/world.ts';
import { createWorld, type Json } from '../interface/world.ts';
import { sizeOf } from '../size-of.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';
import { storageAt } from '../storages/storage-at.ts';

const ASSIGNMENTS = sizeOf('assignments', { short: 1_000, long: 10_000 });
const HANDLES = 4;

/** Opens another engine on the database, as another process does, and returns its interface. */
async function anotherProcess(database: string, fetch: typeof globalThis.fetch): Promise<Handler> {
  const engine = createEngine({
    storage: await storageAt(database),
    providers: { PROVIDER_A: google({ ...googleEndpoints('http://sandbox.test/google'), fetch }) },
    secret: Buffer.alloc(32, 7).toString('base64'),
    publicUrl: 'http://kalends.test/api',
  });
  await engine.start({ background: false });
  onTestFinished(() => engine.stop());
  return createHandler(engine);
}

describe.each(STORAGES)('processes that book at once, in %s', (name) => {
  it('do not choose the same person before it is their turn', { timeout: 300_000 }, async () => {
    const database = await newDatabase(name);
    const world = await createWorld({ storage: await storageAt(database) }, { background: false });
    onTestFinished(() => world.close());
    const people = [await world.connect('google'), await world.connect('google'), await world.connect('google')];
    const candidates = people.map(({ accountId, calendarId }) => ({
      endUserAccountId: accountId,
      calendarIds: [calendarId],
    }));
    for (const { accountId, calendarId } of people) {
      const pull = () => world.call('GET', `/v1/events/${accountId}/${calendarId}`);
      while ((await pull()).body.code === 'CalendarSyncing');
    }
    const fetch: typeof globalThis.fetch = (input, init) => world.sandbox.fetch(new Request(input, init));
    const others = await Promise.all(Array.from({ length: HANDLES - 1 }, () => anotherProcess(database, fetch)));
    const handlers = [world.handler, ...others];
    const startMs = (Math.floor(Date.now() / 86_400_000) + 20) * 86_400_000;
    const at = (hours: number) => new Date(startMs + hours * 3_600_000).toISOString();

    const attempt = async (pool: string, index: number, hour: number): Promise<Json> => {
      const order = index % 2 === 0 ? candidates : candidates.toReversed();
      const slot = { startDateTime: at(hour), endDateTime: at(hour + 1), timeZone: 'UTC' };
      const response = await handlers[index % HANDLES]?.(
        new Request('http://kalends.test/v1/holds', {
          method: 'POST',
          headers: { 'x-api-key': world.apiKey, 'content-type': 'application/json' },
          body: JSON.stringify({ roundRobin: { pool, candidates: order }, ...slot }),
        }),
      );
      return await response?.json();
    };
    const sharesOf = (answers: readonly Json[]) =>
      people.map(
        ({ accountId }) => answers.filter(({ assignment }) => assignment?.endUserAccountId === accountId).length,
      );

    const spread = await Promise.all(Array.from({ length: 60 }, (_, index) => attempt('spread', index, index)));
    expect(sharesOf(spread)).toEqual([20, 20, 20]);
    // In one slot there is room for each of them once.
    const narrow = await Promise.all(Array.from({ length: 12 }, (_, index) => attempt('narrow', index, 100)));
    expect(sharesOf(narrow)).toEqual([1, 1, 1]);
    expect(narrow.filter(({ code }) => code === 'SlotTaken')).toHaveLength(9);
  });
});

test('recorded assignments keep hosts of equal weight within one of each other, and others at their shares', {
  timeout: 60_000 + ASSIGNMENTS * 30,
}, async () => {
  const clock = manualClock(0);
  const storage = sqlite({ path: ':memory:', clock });
  await storage.open();
  onTestFinished(() => storage.close());
  await storage.applications.create(applicationRow({ id: 'app_1' }));
  const weights = { acc_1: 1, acc_2: 1, acc_3: 2, acc_4: 4 };
  for (const id of Object.keys(weights)) {
    const identity = { id, email: `${id}@example.com`, providerAccountId: id };
    await storage.accounts.save(accountRow(identity), credentialRow({ id: `crd_${id}`, accountId: id }));
  }
  const candidates = Object.entries(weights).map(([accountId, weight]) => ({ accountId, weight, calendarIds: ['c'] }));
  const counts = new Map(Object.keys(weights).map((id) => [id, 0]));
  const lengths = { ttlMs: 1_000_000_000, keptMs: 0 };
  for (let turn = 0; turn < ASSIGNMENTS; turn += 1) {
    const hold: NewHold = {
      id: `hld_${turn}`,
      applicationId: 'app_1',
      participants: [],
      startMs: turn,
      endMs: turn + 1,
      timeZone: 'UTC',
      replaces: null,
      tentative: null,
      search: null,
      notifyAttendees: null,
      createdAt: 0,
    };
    const assign = { pool: 'p', sinceMs: null, candidates };
    const taken = await storage.holds.take(hold, { seen: [], ...lengths, dueInMs: null, assign });
    if (taken.kind !== 'taken') throw new Error(taken.kind);
    const chosen = taken.hold.participants[0]?.accountId ?? '';
    counts.set(chosen, (counts.get(chosen) ?? 0) + 1);
    await clock.advance(1);
    expect(Math.abs((counts.get('acc_1') ?? 0) - (counts.get('acc_2') ?? 0))).toBeLessThanOrEqual(1);
    // The bound of the divisor method, as test/availability/fairness.test.ts has it.
    for (const { accountId, weight } of candidates) {
      const distance = Math.abs((counts.get(accountId) ?? 0) - ((turn + 1) * weight) / 8);
      expect(distance).toBeLessThanOrEqual(0.5 + (candidates.length * weight) / 16);
    }
  }
  const input = { accountIds: Object.keys(weights), sinceMs: null };
  const recorded = await storage.holds.countAssigned('app_1', 'p', input);
  expect(new Map(recorded.map(({ accountId, assignments }) => [accountId, assignments]))).toEqual(counts);
});
