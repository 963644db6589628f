import { expect, test } from 'vitest';
import { DAY_MS, FIRST_DAY } from '../simulation/edit.ts';
import { type Fate, type Process, startProcess } from '../simulation/process.ts';
import { createSimulatedWorld, engineOn, type SimulatedWorld } from '../simulation/world.ts';

const HOUR_MS = 3_600_000;
const START_MS = FIRST_DAY + 10 * DAY_MS + 10 * HOUR_MS;

interface LateShow {
  readonly world: SimulatedWorld;
  readonly process: Process;
  readonly asked: Promise<unknown>;
}

/** Plays a process that stands still for five minutes before it shows a hold of thirty seconds, beside one that works on what is due. */
async function showLate(judge: (late: LateShow) => Promise<void>, fate: Fate = 'goes on'): Promise<void> {
  const world = await createSimulatedWorld({ provider: 'google', seed: 10 });
  const { time, storage, reach, accountId, applicationId } = world;
  let isPaused = false;
  const process = startProcess({
    storage,
    fetch: reach,
    time,
    fate(kind, moment) {
      if (isPaused) return kind === 'fetch POST' && moment === 'after' ? fate : 'goes on';
      if (kind !== 'holds.take' || moment !== 'after') return 'goes on';
      isPaused = true;
      return { pausesMs: 300_000 };
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
        expiresInSeconds: 30,
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
  await showLate(async ({ world, asked }) => {
    await expect(world.time.until(asked)).rejects.toMatchObject({ code: 'Conflict' });
    expect(await shownBy(world)).toEqual([]);
  });
});

test('a process that stands still until its hold has expired, and dies after the late write, leaves none either', async () => {
  await showLate(async ({ world, process }) => {
    await world.time.until(process.death);
    expect(await shownBy(world)).toHaveLength(1);
    await world.time.pass(600_000);
    expect(await shownBy(world)).toEqual([]);
    expect(await world.storage.holds.listDue(1)).toEqual([]);
  }, 'dies');
});
