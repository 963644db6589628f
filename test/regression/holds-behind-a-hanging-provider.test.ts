import type { HoldStore } from 'kalends/ports';
import { expect, test } from 'vitest';
import { DAY_MS, FIRST_DAY } from '../simulation/edit.ts';
import { createPerson, type Person } from '../simulation/person.ts';
import { connectAccount, createSimulatedWorld, engineOn } from '../simulation/world.ts';

const HOUR_MS = 3_600_000;
const HELD_MS = 60_000;
/** Within which the event of a hold goes when its time is over. */
const SECONDS_MS = 6_000;
/** More holds than one process works on at once. */
const MANY = 12;

/** Accounts at two providers, of which the keeper, an engine that removes what is over, reaches Microsoft alone. */
async function createHangingWorld(changed: (holds: HoldStore) => Partial<HoldStore> = () => ({})) {
  const world = await createSimulatedWorld({ provider: 'google', seed: 520 });
  const { sandbox, time, storage, reach, applicationId } = world;
  const ports = { storage: { ...storage, open: async () => undefined, close: async () => undefined }, clock: time };
  const taker = engineOn({ ...ports, fetch: reach, seed: 522 });
  const keeper = engineOn({
    ...ports,
    storage: { ...ports.storage, holds: { ...storage.holds, ...changed(storage.holds) } },
    seed: 523,
    fetch: async (input, init) => {
      if (!new URL(input instanceof Request ? input.url : input).pathname.startsWith('/google/')) {
        return await reach(input, init);
      }
      return await new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    },
  });
  const other = await createPerson({ sandbox, provider: 'microsoft', time }, 'other@microsoft.example');
  const connecting = { provider: 'microsoft', applicationId, email: other.email } as const;
  const otherAccount = await time.until(time.hold(() => connectAccount(taker, sandbox, connecting)));
  const hold = async (accountId: string, { calendarIds: [calendarId] }: Person, hour: number) => {
    const startMs = FIRST_DAY + 10 * DAY_MS + hour * HOUR_MS;
    const taken = taker.holds.create(
      { applicationId },
      {
        participants: [{ endUserAccountId: accountId, calendarIds: [calendarId] }],
        startDateTime: new Date(startMs).toISOString(),
        endDateTime: new Date(startMs + HOUR_MS).toISOString(),
        timeZone: 'Europe/Berlin',
        expiresInSeconds: HELD_MS / 1_000,
        tentativeEvent: { writeTo: 'organizer' },
      },
    );
    return await time.until(taken);
  };
  return {
    ...world,
    keeper,
    hold: (hour: number) => hold(world.accountId, world.person, hour),
    holdOther: () => hold(otherAccount.id, other, 0),
    shown: async () => [await eventsOf(world.person), await eventsOf(other)],
  };
}

const eventsOf = async (person: Person) => (await person.occurrences(0, FIRST_DAY, FIRST_DAY + 30 * DAY_MS)).length;

test.each([
  1,
  MANY,
])('a tentative event goes within seconds beside %i whose provider does not answer', async (hanging) => {
  const world = await createHangingWorld();
  const { time, keeper } = world;
  try {
    for (let hour = 0; hour < hanging; hour += 1) await world.hold(hour);
    await time.pass(7_000);
    await world.holdOther();
    await keeper.start();
    await time.pass(HELD_MS + SECONDS_MS);
    expect(await world.shown()).toEqual([hanging, 0]);
    await time.until(keeper.stop());
  } finally {
    await world.close();
  }
});

test('a tentative event goes within seconds beside holds that other processes work on', async () => {
  const world = await createHangingWorld();
  const { time, storage, accountId, keeper } = world;
  try {
    for (let hour = 0; hour < MANY; hour += 1) {
      const { id } = await world.hold(hour);
      await storage.leases.claim(`hold:${accountId}:${id}`, 10 * HELD_MS);
    }
    await time.pass(7_000);
    await world.holdOther();
    await keeper.start();
    await time.pass(HELD_MS + SECONDS_MS);
    expect(await world.shown()).toEqual([MANY, 0]);
    await time.until(keeper.stop());
  } finally {
    await world.close();
  }
});

test('a tentative event goes within seconds after a failed look, beside one whose provider does not answer', async () => {
  let hasFailed = true;
  const world = await createHangingWorld((holds) => ({
    async listDue(limit) {
      if (hasFailed) return await holds.listDue(limit);
      hasFailed = true;
      throw new Error('the storage fails');
    },
  }));
  const { time, keeper } = world;
  try {
    await world.hold(0);
    await time.pass(30_000);
    await world.holdOther();
    await keeper.start();
    await time.pass(40_000);
    // The event of the first hold is being deleted, without an answer; the other hold is not over.
    hasFailed = false;
    await time.pass(HELD_MS - 40_000 + SECONDS_MS);
    expect([hasFailed, ...(await world.shown())]).toEqual([true, 1, 0]);
    await time.until(keeper.stop());
  } finally {
    await world.close();
  }
});
