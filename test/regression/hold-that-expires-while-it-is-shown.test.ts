import { expect, test } from 'vitest';
import { DAY_MS, FIRST_DAY } from '../simulation/edit.ts';
import { startProcess } from '../simulation/process.ts';
import { createSimulatedWorld, engineOn } from '../simulation/world.ts';

const HOUR_MS = 3_600_000;
const START_MS = FIRST_DAY + 10 * DAY_MS + 10 * HOUR_MS;

test('a process that stands still until its hold has expired leaves no tentative event', async () => {
  const world = await createSimulatedWorld({ provider: 'google', seed: 10 });
  const { time, storage, reach, person, accountId, applicationId } = world;
  let isPaused = false;
  const process = startProcess({
    storage,
    fetch: reach,
    time,
    fate(kind, moment) {
      if (isPaused || kind !== 'holds.take' || moment !== 'after') return 'goes on';
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
        participants: [{ endUserAccountId: accountId, calendarIds: [person.calendarIds[0]] }],
        startDateTime: new Date(START_MS).toISOString(),
        endDateTime: new Date(START_MS + HOUR_MS).toISOString(),
        timeZone: 'Europe/Berlin',
        expiresInSeconds: 30,
        tentativeEvent: { writeTo: 'organizer', title: 'shown' },
      },
    );
    await expect(time.until(asked)).rejects.toMatchObject({ code: 'Conflict' });
    expect(isPaused).toBe(true);
    expect(await person.occurrences(0, FIRST_DAY, FIRST_DAY + 30 * DAY_MS)).toEqual([]);
    await time.until(other.stop());
  } finally {
    process.kill();
    await world.close();
  }
});
