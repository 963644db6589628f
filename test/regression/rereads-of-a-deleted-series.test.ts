import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEvent, fakeException, newYork } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

// Google still answers for an instance of a series that is deleted: as cancelled, under the tag that it had before.

const AT_NINE = newYork('2026-03-02', '09:00', '10:00');
const SLOT = { kind: 'instant', startMs: Date.parse('2026-03-04T14:00:00Z') } as const;
const EXCEPTION_ID = 's_20260304T140000Z';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, fakeEvent('s', { recurrence: ['RRULE:FREQ=DAILY;COUNT=9'], ...AT_NINE }));
  world.fake.put(CALENDAR, fakeException('x', 's', SLOT, { title: 'other', ...AT_NINE }));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  const exception = world.fake.events(CALENDAR).get('x')!;
  const { events } = world.fake.provider;
  const { get } = events;
  Object.assign(events, {
    get: async (...request: Parameters<typeof get>) =>
      [EXCEPTION_ID, 'x'].includes(request[2])
        ? [{ kind: 'event', event: { ...exception, isCancelled: true } }]
        : get(...request),
  });
});
afterEach(() => world.close());

const revision = async () => (await world.storage.mirror.find(KEY))!.revision;

test.each(['x', EXCEPTION_ID])('a deleted series does not come back by %s on the re-read list', async (id) => {
  await world.events.delete(CALLER, ACCOUNT, CALENDAR, 's');
  await world.mirror.pull(world.account, CALENDAR);
  const before = await revision();
  await world.storage.mirror.addRereads(KEY, [id]);
  await world.mirror.pull(world.account, CALENDAR);
  expect(await revision()).toBe(before);
  expect(await world.storage.mirror.findItem(KEY, EXCEPTION_ID)).toBeUndefined();
  expect(await world.storage.mirror.listRereads(KEY, 10)).toEqual([]);
});

test.each([
  'x',
  EXCEPTION_ID,
])('an occurrence without its series that is cancelled is removed by %s on the re-read list', async (id) => {
  const other = await syncWorld();
  other.fake.put(CALENDAR, fakeException('x', 's', SLOT, { title: 'other', ...AT_NINE }));
  await other.events.list(CALLER, ACCOUNT, CALENDAR, {});
  const exception = other.fake.events(CALENDAR).get('x')!;
  const answer = [{ kind: 'event', event: { ...exception, isCancelled: true, content: null } }];
  Object.assign(other.fake.provider.events, { get: async () => answer });
  await other.storage.mirror.addRereads(KEY, [id]);
  await other.mirror.pull(other.account, CALENDAR);
  expect(await other.storage.mirror.findItem(KEY, EXCEPTION_ID)).toBeUndefined();
  await other.close();
});
