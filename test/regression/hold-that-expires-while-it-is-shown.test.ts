import type { Engine } from 'kalends';
import { expect, test } from 'vitest';
import { DAY_MS, FIRST_DAY } from '../simulation/edit.ts';
import { type Fate, type Process, startProcess } from '../simulation/process.ts';
import { createSimulatedWorld, engineOn, type SimulatedWorld } from '../simulation/world.ts';

const HOUR_MS = 3_600_000;
const START_MS = FIRST_DAY + 10 * DAY_MS + 10 * HOUR_MS;
const HELD_MS = 30_000;
/** Upkeep looks for holds this often. */
const LOOK_MS = 5_000;

interface ShownHold {
  readonly world: SimulatedWorld;
  readonly process: Process;
  readonly asked: ReturnType<Engine['holds']['create']>;
}

interface Delay {
  /** For how long the process stands still once it has taken the hold. */
  readonly pausesMs?: number;
  readonly writeTakesMs?: number;
  /** Of the process, once it has written the event. */
  readonly fate?: Fate;
}

/** Shows a hold of thirty seconds by a process that is late, while the upkeep of another goes on. */
async function showHold(
  { pausesMs = 0, writeTakesMs = 0, fate = 'goes on' }: Delay,
  judge: (shown: ShownHold) => Promise<void>,
): Promise<void> {
  const world = await createSimulatedWorld({ provider: 'google', seed: 10 });
  const { time, storage, reach, accountId, applicationId } = world;
  let isPaused = false;
  const process = startProcess({
    storage,
    async fetch(input, init) {
      if (init?.method === 'POST') await time.sleep(writeTakesMs);
      return await reach(input, init);
    },
    time,
    fate(kind, moment) {
      if (isPaused) return kind === 'fetch POST' && moment === 'after' ? fate : 'goes on';
      if (kind !== 'holds.take' || moment !== 'after') return 'goes on';
      isPaused = true;
      return { pausesMs };
    },
  });
  const writer = engineOn({ ...process, seed: 12 });
  const ports = { storage: { ...storage, open: async () => undefined, close: async () => undefined } };
  const other = engineOn({ ...ports, fetch: reach, clock: { now: time.now, sleep: time.sleep }, seed: 13 });
  try {
    await other.start();
    const asked = writer.holds.create(
      { applicationId },
      {
        participants: [{ endUserAccountId: accountId, calendarIds: [world.person.calendarIds[0]] }],
        startDateTime: new Date(START_MS).toISOString(),
        endDateTime: new Date(START_MS + HOUR_MS).toISOString(),
        timeZone: 'Europe/Berlin',
        expiresInSeconds: HELD_MS / 1_000,
        tentativeEvent: { writeTo: 'organizer', title: 'shown' },
      },
    );
    await judge({ world, process, asked });
    expect(isPaused).toBe(true);
    await time.until(other.stop());
  } finally {
    process.kill();
    await world.close();
  }
}

const shownBy = ({ person }: SimulatedWorld) => person.occurrences(0, FIRST_DAY, FIRST_DAY + 30 * DAY_MS);

test('a process that stands still until its hold has expired leaves no tentative event', async () => {
  await showHold({ pausesMs: 300_000 }, async ({ world, asked }) => {
    await expect(world.time.until(asked)).rejects.toMatchObject({ code: 'Conflict' });
    expect(await shownBy(world)).toEqual([]);
  });
});

test('a process that stands still until its hold has expired, and dies after the late write, leaves none either', async () => {
  await showHold({ pausesMs: 300_000, fate: 'dies' }, async ({ world, process }) => {
    await world.time.until(process.death);
    expect(await shownBy(world)).toHaveLength(1);
    await world.time.pass(600_000);
    expect(await shownBy(world)).toEqual([]);
    expect(await world.storage.holds.listDue(1)).toEqual([]);
  });
});

test.each([
  { pausesMs: 10_000 },
  { writeTakesMs: 10_000 },
])('a tentative event goes when its hold expires, however late it was written: %j', async (delay) => {
  await showHold(delay, async ({ world, asked }) => {
    await world.time.until(asked);
    expect(await shownBy(world)).toHaveLength(1);
    await world.time.pass(HELD_MS - 10_000 + LOOK_MS + 1_000);
    expect(await shownBy(world)).toEqual([]);
  });
});
