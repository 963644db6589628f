import { expect, onTestFinished, test } from 'vitest';
import { startCountingProxy } from '../../../adapters/postgres/test/server/counting-proxy.ts';
import { fakeEvent } from '../../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, syncWorld } from '../../mirror/sync-world.ts';
import { newDatabase } from '../../storages/new-database.ts';

test('reads of a mirror that is fresh take two round trips to PostgreSQL, and one where nothing has changed', async () => {
  const proxy = await startCountingProxy(await newDatabase('postgres'));
  onTestFinished(() => proxy.close());
  const world = await syncWorld({ readWaitMs: 1_000_000 }, 1, proxy.url);
  onTestFinished(() => world.close());
  const tripsOf = async (work: () => Promise<unknown>) => {
    const before = proxy.roundTrips();
    await work();
    return proxy.roundTrips() - before;
  };
  const list = (query = {}) => world.events.list(CALLER, ACCOUNT, CALENDAR, query);
  for (let index = 0; index < 30; index += 1) world.fake.put(CALENDAR, fakeEvent(`e${index}`));
  const { nextSyncToken: syncToken } = await list();
  // The note of a read is written once in a while, not by each.
  await list();
  expect(await tripsOf(() => list({ limit: '20' }))).toBe(2);
  const { nextPageToken: pageToken } = await list({ limit: '20' });
  expect(await tripsOf(() => list({ limit: '20', pageToken }))).toBe(2);
  expect(await tripsOf(() => list({ syncToken }))).toBe(1);
  world.fake.put(CALENDAR, fakeEvent('e1', { title: 'Changed' }));
  await world.mirror.pull(world.account, CALENDAR);
  expect(await tripsOf(() => list({ syncToken }))).toBe(2);
  const month = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' };
  expect(await tripsOf(() => list({ ...month, expandRecurrences: 'true' }))).toBe(2);
  expect(
    await tripsOf(() => world.freeBusy.query(CALLER, ACCOUNT, { ...month, timeZone: 'UTC', calendarIds: [CALENDAR] })),
  ).toBe(2);
});
