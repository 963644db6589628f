import { expect, test } from 'vitest';
import { DAY_MS, FIRST_DAY } from '../simulation/edit.ts';
import { createSimulatedWorld, engineOn } from '../simulation/world.ts';

const HOUR_MS = 3_600_000;
const START_MS = FIRST_DAY + 10 * DAY_MS + 10 * HOUR_MS;

test('a clock that tells parts of a millisecond fails no search for free slots', async () => {
  const world = await createSimulatedWorld({ provider: 'google', seed: 87 });
  const { time, storage, reach, person, accountId, applicationId } = world;
  const clock = { now: () => time.now() + 0.5, sleep: time.sleep };
  const engine = engineOn({ storage, fetch: reach, clock, seed: 90 });
  const caller = { applicationId };
  const [calendarId] = person.calendarIds;
  const slot = {
    startDateTime: new Date(START_MS).toISOString(),
    endDateTime: new Date(START_MS + HOUR_MS).toISOString(),
    timeZone: 'Europe/Berlin',
  };
  const take = () =>
    engine.holds.create(caller, {
      participants: [{ endUserAccountId: accountId, calendarIds: [calendarId] }],
      ...slot,
    });
  try {
    await time.until(take());
    await expect(time.until(take())).rejects.toMatchObject({ code: 'SlotTaken' });
  } finally {
    await world.close();
  }
});
