import { expect, test } from 'vitest';
import { confirm, FIRST, slotOf, TITLE } from '../holds/hold-deaths.ts';
import { DAY_MS, FIRST_DAY } from '../simulation/edit.ts';
import { startProcess } from '../simulation/process.ts';
import { createSimulatedWorld, engineOn } from '../simulation/world.ts';

test('an event that is written after another process has looked for it belongs to a booking', async () => {
  const world = await createSimulatedWorld({ provider: 'google', seed: 10 });
  const { time, storage, reach, person, accountId, applicationId } = world;
  let [isConfirming, isPaused] = [false, false];
  const process = startProcess({
    storage,
    fetch: reach,
    time,
    fate(kind, moment) {
      if (!isConfirming || isPaused || kind !== 'fetch POST' || moment !== 'before') return 'goes on';
      isPaused = true;
      return { pausesMs: 200_000 };
    },
  });
  const writer = engineOn({ ...process, seed: 12 });
  const ports = { storage: { ...storage, open: async () => undefined, close: async () => undefined } };
  const other = engineOn({ ...ports, fetch: reach, clock: { now: time.now, sleep: time.sleep }, seed: 13 });
  const caller = { applicationId };
  try {
    await other.start();
    const participants = [{ endUserAccountId: accountId, calendarIds: [person.calendarIds[0]] }];
    const hold = await time.until(
      writer.holds.create(caller, { participants, ...slotOf(FIRST), expiresInSeconds: 30 }),
    );
    isConfirming = true;
    const stage = { world, caller, participants, people: [person] };
    const confirmed = confirm(writer, stage, hold.id);
    await time.until(Promise.allSettled([confirmed]));
    expect(isPaused).toBe(true);
    const written = async () => {
      const lines = await person.occurrences(0, FIRST_DAY, FIRST_DAY + 30 * DAY_MS);
      return lines.filter((line) => line.includes(TITLE)).length;
    };
    expect(await written()).toBe(1);
    await time.pass(1_200_000);
    expect(await time.until(other.holds.get(caller, hold.id))).toMatchObject({ status: 'booked' });
    expect(await written()).toBe(1);
    await time.until(other.stop());
  } finally {
    process.kill();
    await world.close();
  }
});
