import { expect, test } from 'vitest';
import { allDay, fakeEvent, newYork } from '../../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, syncWorld } from '../../mirror/sync-world.ts';

/** Runs work and counts the turns that others got meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns += 1;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isRunning = false;
  return turns;
}

test('long requests leave turns of the event loop to others', async () => {
  const world = await syncWorld({ readWaitMs: 1_000_000 });
  world.fake.switches.pageSize = 5_000;
  for (let i = 0; i < 3_000; i++) world.fake.put(CALENDAR, fakeEvent(`e${i}`, newYork('2026-03-04', '09:00', '10:00')));
  world.fake.put(
    CALENDAR,
    fakeEvent('minutely', { ...newYork('2026-01-01', '09:00', '09:01'), recurrence: ['RRULE:FREQ=MINUTELY'] }),
  );
  const list = (query = {}) => world.events.list(CALLER, ACCOUNT, CALENDAR, query);
  const month = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z', timeZone: 'UTC' };
  const expanded = { ...month, expandRecurrences: 'true' } as const;
  // The first pull commits 3,000 items: at least a turn for each transaction.
  expect(await turnsDuring(() => list())).toBeGreaterThan(10);
  expect(await turnsDuring(() => list({ search: 'none' }))).toBeGreaterThan(40);
  expect(await turnsDuring(() => list({ ...expanded, orderBy: 'updatedDateTime' }))).toBeGreaterThan(40);
  const busy = () => world.freeBusy.query(CALLER, ACCOUNT, { ...month, calendarIds: [CALENDAR] });
  expect(await turnsDuring(busy)).toBeGreaterThan(40);
  await world.close();
});

test('what is read is shown and printed in turns', async () => {
  const world = await syncWorld({ readWaitMs: 1_000_000 });
  world.fake.switches.pageSize = 5_000;
  const description = 'x'.repeat(8_000);
  const put = (times: ReturnType<typeof newYork>) => {
    for (let i = 0; i < 900; i++) world.fake.put(CALENDAR, fakeEvent(`e${i}`, { ...times, description }));
  };
  put(allDay('2026-03-04', '2026-03-05'));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  const page = { limit: '1000' };
  const read = await turnsDuring(() => world.events.list(CALLER, ACCOUNT, CALENDAR, { ...page, search: 'none' }));
  // A turn for about 200 records that are shown, for about 80 that are printed with 8 kB each.
  expect(await turnsDuring(() => world.events.list(CALLER, ACCOUNT, CALENDAR, page))).toBeGreaterThanOrEqual(read + 4);
  const listJson = () => world.events.listJson(CALLER, ACCOUNT, CALENDAR, page);
  expect(await turnsDuring(listJson)).toBeGreaterThanOrEqual(read + 9);
  // A turn for about 300 that are cut out of the stored text.
  put(newYork('2026-03-04', '09:00', '10:00'));
  await world.mirror.pull(world.account, CALENDAR);
  expect(await turnsDuring(listJson)).toBeGreaterThanOrEqual(read + 2);
  await world.close();
});

test('requests that arrive together go on one at a time', async () => {
  const world = await syncWorld({ readWaitMs: 1_000_000 });
  for (let i = 0; i < 20; i++) world.fake.put(CALENDAR, fakeEvent(`e${i}`, newYork('2026-03-04', '09:00', '10:00')));
  const list = (search: string) => world.events.list(CALLER, ACCOUNT, CALENDAR, { search });
  await list('first');
  const requests = Array.from({ length: 40 }, (_, index) => () => list(`nowhere ${index}`));
  expect(await turnsDuring(() => Promise.all(requests.map((request) => request())))).toBeGreaterThanOrEqual(40);
  const busy = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z', timeZone: 'UTC' };
  const queries = requests.map(() => world.freeBusy.query(CALLER, ACCOUNT, { ...busy, calendarIds: [CALENDAR] }));
  expect(await turnsDuring(() => Promise.all(queries))).toBeGreaterThanOrEqual(40);
  await world.close();
});
