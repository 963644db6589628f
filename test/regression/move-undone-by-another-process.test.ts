import { expect, test } from 'vitest';
import { DAY_MS, FIRST_DAY } from '../simulation/edit.ts';
import { createPerson } from '../simulation/person.ts';
import { startProcess } from '../simulation/process.ts';
import { connectAccount, createSimulatedWorld, engineOn } from '../simulation/world.ts';

const HOUR_MS = 3_600_000;
const START_MS = FIRST_DAY + 10 * DAY_MS + 10 * HOUR_MS;

const slotOf = (startMs: number) => ({
  startDateTime: new Date(startMs).toISOString(),
  endDateTime: new Date(startMs + HOUR_MS).toISOString(),
  timeZone: 'Europe/Berlin',
});

test('a move that its process has left and a provider refuses goes back to where the person had moved their event', async () => {
  const world = await createSimulatedWorld({ provider: 'google', seed: 298 });
  const { time, sandbox, storage, reach, person, accountId, applicationId } = world;
  let isMoving = false;
  const process = startProcess({
    storage,
    fetch: reach,
    time,
    fate: (kind, moment) => (isMoving && kind === 'fetch PATCH' && moment === 'after' ? 'dies' : 'goes on'),
  });
  const mover = engineOn({ ...process, seed: 300 });
  const ports = { storage: { ...storage, open: async () => undefined, close: async () => undefined } };
  let isRefusing = false;
  const other = engineOn({
    ...ports,
    fetch: async (input, init) =>
      isRefusing && init?.method === 'PATCH' && String(input).includes('/microsoft/')
        ? Response.json({ error: { code: 'ErrorAccessDenied', message: 'Access is denied.' } }, { status: 403 })
        : await reach(input, init),
    clock: { now: time.now, sleep: time.sleep },
    seed: 301,
  });
  const caller = { applicationId };
  const startOf = async () => (await person.occurrences(0, FIRST_DAY, FIRST_DAY + 30 * DAY_MS)).join();
  try {
    const guest = await createPerson({ sandbox, provider: 'microsoft', time }, 'guest@microsoft.example');
    const connecting = { provider: 'microsoft', applicationId, email: guest.email } as const;
    const guestAccount = await time.until(time.hold(() => connectAccount(other, sandbox, connecting)));
    const participants = [
      { endUserAccountId: accountId, calendarIds: [person.calendarIds[0]] },
      { endUserAccountId: guestAccount.id, calendarIds: [guest.calendarIds[0]] },
    ];
    const { id } = await time.until(other.holds.create(caller, { participants, ...slotOf(START_MS) }));
    const confirmed = other.holds.confirm(caller, id, { event: { title: 'moved' }, writeTo: 'each' });
    const { token, event } = await time.until(confirmed);
    const { startDateTime, endDateTime } = slotOf(START_MS + 3 * HOUR_MS);
    const times = { start: { dateTime: startDateTime }, end: { dateTime: endDateTime } };
    await time.until(other.events.update(caller, accountId, person.calendarIds[0], event?.id ?? '', times));
    isMoving = true;
    void mover.bookings.move(caller, token, slotOf(START_MS + DAY_MS));
    await time.until(process.death);
    expect(await startOf()).toContain(`moved | ${new Date(START_MS + DAY_MS).toISOString()}`);
    isRefusing = true;
    await other.start();
    await time.pass(60_000);
    expect(await startOf()).toContain(`moved | ${startDateTime}`);
    await time.until(other.stop());
  } finally {
    process.kill();
    await world.close();
  }
});
