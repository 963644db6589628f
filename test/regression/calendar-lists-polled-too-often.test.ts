import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeCalendar } from '../mirror/fake-provider.ts';
import { ACCOUNT, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const MINUTE_MS = 60_000;
const LIST = { ...KEY, calendarId: null };

let world: SyncWorld;
let stop: () => Promise<void>;
beforeEach(async () => {
  world = await syncWorld();
  const stopping = new AbortController();
  const running = world.pulls.run(stopping.signal);
  stop = async () => {
    stopping.abort();
    await running;
  };
});
afterEach(async () => {
  await stop();
  await world.close();
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 5_000) {
    await world.clock.advance(Math.min(left, 5_000));
    for (let i = 0; i < 4; i++) await turn();
  }
}
const lists = () => world.fake.calls.filter((call) => call === 'calendars.pull').length;

test('a list that was read is polled each quarter of an hour, for an hour', async () => {
  await world.calendars.list(CALLER, ACCOUNT, {});
  const before = lists();
  await pass(60 * MINUTE_MS);
  expect(lists() - before).toBeGreaterThanOrEqual(3);
  expect(lists() - before).toBeLessThanOrEqual(6);
  const after = lists();
  await pass(60 * MINUTE_MS);
  expect(lists() - after).toBeLessThanOrEqual(1);
});

test('a list that is never complete is not read without a pause while a calendar is missing', async () => {
  world.fake.putCalendar(fakeCalendar('other'));
  await world.calendars.list(CALLER, ACCOUNT, {});
  const { calendars } = world.fake.provider;
  const pull = calendars.pull.bind(calendars);
  Object.assign(calendars, {
    async *pull(...parameters: Parameters<typeof pull>) {
      for await (const page of pull(...parameters)) yield { ...page, full: false };
    },
  });
  world.fake.removeCalendar('other');
  await world.storage.schedule.hint(LIST);
  world.due.notify();
  await pass(MINUTE_MS);
  expect(await world.storage.schedule.listMissing(LIST)).toMatchObject([{ calendarId: 'other' }]);
  await pass(10 * MINUTE_MS);
  const before = lists();
  await pass(30 * MINUTE_MS);
  expect(lists() - before).toBeGreaterThanOrEqual(2);
  expect(lists() - before).toBeLessThanOrEqual(6);
});
