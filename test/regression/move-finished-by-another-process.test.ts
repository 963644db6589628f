import { expect, test } from 'vitest';
import { DAY_MS, FIRST_DAY } from '../simulation/edit.ts';
import { startProcess } from '../simulation/process.ts';
import { createSimulatedWorld, engineOn } from '../simulation/world.ts';

const HOUR_MS = 3_600_000;
const START_MS = FIRST_DAY + 10 * DAY_MS + 10 * HOUR_MS;

const slotOf = (startMs: number) => ({
  startDateTime: new Date(startMs).toISOString(),
  endDateTime: new Date(startMs + HOUR_MS).toISOString(),
  timeZone: 'Europe/Berlin',
});

test('a process that stands still until another one has finished its move moves nothing back', async () => {
  const world = await createSimulatedWorld({ provider: 'google', seed: 198 });
  const { time, storage, reach, person, accountId, applicationId } = world;
  let isPaused = false;
  const process = startProcess({
    storage,
    fetch: reach,
    time,
    fate(kind, moment) {
      if (isPaused || kind !== 'holds.replace' || moment !== 'before') return 'goes on';
      isPaused = true;
      return { pausesMs: 600_000 };
    },
  });
  const mover = engineOn({ ...process, seed: 200 });
  const ports = { storage: { ...storage, open: async () => undefined, close: async () => undefined } };
  const other = engineOn({ ...ports, fetch: reach, clock: { now: time.now, sleep: time.sleep }, seed: 201 });
  const caller = { applicationId };
  try {
    await other.start();
    const participants = [{ endUserAccountId: accountId, calendarIds: [person.calendarIds[0]] }];
    const { id } = await time.until(mover.holds.create(caller, { participants, ...slotOf(START_MS) }));
    const { token } = await time.until(mover.holds.confirm(caller, id, { event: { title: 'moved' } }));
    const movedMs = START_MS + DAY_MS;
    const moved = await time.until(mover.bookings.move(caller, token, slotOf(movedMs)));
    expect(isPaused).toBe(true);
    expect(Date.parse(moved.startDateTime)).toBe(movedMs);
    const [line] = await person.occurrences(0, FIRST_DAY, FIRST_DAY + 30 * DAY_MS);
    expect(line).toContain(`moved | ${new Date(movedMs).toISOString()}`);
    await time.until(other.stop());
  } finally {
    process.kill();
    await world.close();
  }
});
