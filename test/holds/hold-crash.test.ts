import type { Caller, Engine } from 'kalends';
import { describe, expect, it } from 'vitest';
import { DAY_MS, FIRST_DAY } from '../simulation/edit.ts';
import { startProcess } from '../simulation/process.ts';
import { createSimulatedWorld, engineOn, type SimulatedWorld } from '../simulation/world.ts';
import { sizeOf } from '../size-of.ts';

/** Every so many awaits a process dies. */
const STRIDE = sizeOf('stride', { short: 15, long: 1 });

const HOUR_MS = 3_600_000;
const FIRST = FIRST_DAY + 10 * DAY_MS + 10 * HOUR_MS;
const OTHER = FIRST + HOUR_MS / 2;
const TITLE = 'booked';
/** Longer than any hold, and than the time that a booking takes its slot besides. */
const OVER_MS = 11 * 60_000;

interface Stage {
  readonly world: SimulatedWorld;
  readonly caller: Caller;
  readonly participants: { endUserAccountId: string; calendarIds: string[] }[];
}

/** An act during which a process dies; the one that finds out works with another engine afterwards. */
interface Act {
  /** Prepares the act, in the process that is going to die. Resolves with what the act needs to know. */
  prepare(engine: Engine, stage: Stage): Promise<string>;
  perform(engine: Engine, stage: Stage, prepared: string): Promise<unknown>;
  /** Throws or fails an expectation when anything is wrong afterwards. */
  judge(engine: Engine, stage: Stage, prepared: string): Promise<void>;
}

const slotOf = (startMs: number) => ({
  startDateTime: new Date(startMs).toISOString(),
  endDateTime: new Date(startMs + HOUR_MS).toISOString(),
  timeZone: 'Europe/Berlin',
});
const take = (engine: Engine, { caller, participants }: Stage, startMs = FIRST) =>
  engine.holds.create(caller, { participants, ...slotOf(startMs) });
const confirm = (engine: Engine, { caller }: Stage, id: string) =>
  engine.holds.confirm(caller, id, { event: { title: TITLE } });
const prepareHold: Act['prepare'] = async (engine, stage) => (await take(engine, stage)).id;
const prepareBooking: Act['prepare'] = async (engine, stage) =>
  (await confirm(engine, stage, await prepareHold(engine, stage))).token;

/** Starts of the events at the provider, in its own words. */
async function written({ world }: Stage): Promise<readonly string[]> {
  const lines = await world.person.occurrences(0, FIRST_DAY, FIRST_DAY + 30 * DAY_MS);
  return lines.filter((line) => line.includes(TITLE));
}

/** The slot can be taken exactly if nothing is in it. */
async function expectFree(engine: Engine, stage: Stage, startMs: number, isFree: boolean): Promise<void> {
  const taking = take(engine, stage, startMs).then(
    () => 'taken',
    ({ code }: { readonly code: string }) => code,
  );
  expect(await taking).toBe(isFree ? 'taken' : 'SlotTaken');
}

const ACTS: Readonly<Record<string, Act>> = {
  'takes a slot': {
    prepare: async () => '',
    perform: (engine, stage) => take(engine, stage),
    async judge(engine, stage) {
      await stage.world.time.pass(OVER_MS);
      await expectFree(engine, stage, FIRST, true);
      await expectFree(engine, stage, FIRST, false);
    },
  },
  'confirms a hold, which its caller repeats': {
    prepare: prepareHold,
    perform: confirm,
    async judge(engine, stage, holdId) {
      const booking = await confirm(engine, stage, holdId);
      expect(booking.event).toMatchObject({ title: TITLE });
      expect(await confirm(engine, stage, holdId)).toEqual(booking);
      expect(await written(stage)).toHaveLength(1);
      await expectFree(engine, stage, OTHER, false);
    },
  },
  'confirms a hold, which its caller leaves': {
    prepare: prepareHold,
    perform: confirm,
    async judge(engine, stage) {
      await stage.world.time.pass(OVER_MS);
      const events = await written(stage);
      expect(events.length).toBeLessThan(2);
      await expectFree(engine, stage, OTHER, events.length === 0);
    },
  },
  'confirms a hold, which its caller repeats when its time is over': {
    prepare: prepareHold,
    perform: confirm,
    async judge(engine, stage, holdId) {
      await stage.world.time.pass(OVER_MS);
      const outcome = await confirm(engine, stage, holdId).then(
        () => 'booked',
        ({ code }: { readonly code: string }) => code,
      );
      const events = await written(stage);
      // A confirmation that had not begun has no hold to begin with any more.
      expect([outcome, events.length]).toEqual(outcome === 'booked' ? ['booked', 1] : ['Conflict', 0]);
      await expectFree(engine, stage, OTHER, events.length === 0);
    },
  },
  'moves a booking': {
    prepare: prepareBooking,
    perform: (engine, { caller }, token) => engine.bookings.move(caller, token, slotOf(OTHER)),
    async judge(engine, stage, token) {
      await stage.world.time.pass(OVER_MS);
      const moved = await engine.bookings.move(stage.caller, token, slotOf(OTHER));
      expect(moved).toMatchObject({ token, event: { start: { dateTime: moved.startDateTime } } });
      expect(await written(stage)).toHaveLength(1);
      await expectFree(engine, stage, FIRST - HOUR_MS / 2, true);
      await expectFree(engine, stage, OTHER, false);
    },
  },
  'cancels a booking': {
    prepare: prepareBooking,
    perform: (engine, { caller }, token) => engine.bookings.cancel(caller, token),
    async judge(engine, stage, token) {
      const again = await engine.bookings.cancel(stage.caller, token).catch(({ code }) => code);
      expect([undefined, 'NotFound']).toContain(again);
      expect(await written(stage)).toEqual([]);
      await expectFree(engine, stage, FIRST, true);
    },
  },
};

/** Plays an act by a process that dies at its n-th await, and what another one finds. False when there is no such await. */
async function playDeath(provider: 'google' | 'microsoft', act: Act, n: number): Promise<boolean> {
  const world = await createSimulatedWorld({ provider, seed: n + 1 });
  const { time, storage, reach } = world;
  let awaits = Number.NEGATIVE_INFINITY;
  const process = startProcess({ storage, fetch: reach, time, fate: () => (awaits++ === n ? 'dies' : 'goes on') });
  try {
    const participants = [
      { endUserAccountId: world.accountId, calendarIds: [...world.person.calendarIds.slice(0, 1)] },
    ];
    const stage: Stage = { world, caller: { applicationId: world.applicationId }, participants };
    const writer = engineOn({ ...process, seed: n + 2 });
    const prepared = await time.until(act.prepare(writer, stage));
    awaits = 0;
    await time.until(Promise.race([act.perform(writer, stage, prepared), process.death]));
    if (!process.isDead) return false;
    const finder = engineOn({
      storage: { ...storage, open: async () => undefined, close: async () => undefined },
      fetch: reach,
      clock: { now: time.now, sleep: time.sleep },
      seed: n + 3,
    });
    await finder.start();
    await time.until(act.judge(finder, stage, prepared));
    await time.until(finder.stop());
    return true;
  } finally {
    await world.close();
  }
}

describe.each(['google', 'microsoft'] as const)('a process that dies at any await at %s', (provider) => {
  it.each(Object.entries(ACTS))(
    'while it %s: no slot is taken for ever, and no event is written twice',
    async (_name, act) => {
      let deaths = 0;
      while (await playDeath(provider, act, deaths * STRIDE).catch((error) => failedAt(deaths * STRIDE, error)))
        deaths += 1;
      expect(deaths).toBeGreaterThan(0);
    },
    300_000,
  );
});

function failedAt(n: number, error: unknown): never {
  throw new Error(`It died at await ${n}: ${error instanceof Error ? error.message : error}`, { cause: error });
}
