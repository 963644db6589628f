import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEvent, fakeException, newYork } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

// At Google a guest who is taken off a series may stay invited to some of its occurrences: a read of the series says that it is gone,
// and says nothing of them.

const AT_NINE = newYork('2026-03-02', '09:00', '10:00');
const slot = (day: number) => ({ kind: 'instant', startMs: Date.UTC(2026, 2, day, 14) }) as const;
const idOf = (day: number) => `s_2026030${day}T140000Z`;
const LIVING = fakeException('x', 's', slot(4), { title: 'living', ...AT_NINE });
/** Invited to alone after the series had ended: the mirror has no exception of it yet. */
const NEW = fakeException(idOf(3), 's', slot(3), { title: 'new', ...AT_NINE });
const DEAD = fakeException('y', 's', slot(5), { title: 'dead', ...AT_NINE });

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, fakeEvent('s', { recurrence: ['RRULE:FREQ=DAILY;COUNT=9'], ...AT_NINE }));
  for (const exception of [LIVING, DEAD]) world.fake.put(CALENDAR, exception);
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  const { get } = world.fake.provider.events;
  Object.assign(world.fake.provider.events, {
    get: async (...request: Parameters<typeof get>) => {
      const [, , id] = request;
      if (id === 's') return [{ kind: 'deleted', providerEventId: 's', exceptionsMayStay: true }];
      if (id === 'y') return [{ kind: 'event', event: { ...DEAD, isCancelled: true, content: null } }];
      return [{ kind: 'event', event: id === NEW.providerEventId ? NEW : LIVING }];
    },
  });
});
afterEach(() => world.close());

test.each([
  ['the series', ['s']],
  ['an occurrence, which is read with its series', [idOf(4)]],
  ['both', ['s', idOf(4)]],
  ['both by the ids of the provider', ['s', 'x']],
])('%s on the re-read list', async (_what, ids) => {
  await world.storage.mirror.addRereads(KEY, ids);
  await world.mirror.pull(world.account, CALENDAR);
  const found = await Promise.all(['s', idOf(4), idOf(5)].map((id) => world.storage.mirror.findItem(KEY, id)));
  expect(found.map((item) => item !== undefined)).toEqual([false, true, false]);
  expect(await world.storage.mirror.listRereads(KEY, 10)).toEqual([]);
  const { revision } = (await world.storage.mirror.find(KEY))!;
  await world.mirror.pull(world.account, CALENDAR);
  expect((await world.storage.mirror.find(KEY))!.revision).toBe(revision);
});

test('an occurrence that the mirror has no exception of, on the re-read list', async () => {
  await world.storage.mirror.addRereads(KEY, [idOf(3)]);
  await world.mirror.pull(world.account, CALENDAR);
  const found = await Promise.all(['s', idOf(3), idOf(4)].map((id) => world.storage.mirror.findItem(KEY, id)));
  expect(found.map((item) => item !== undefined)).toEqual([false, true, true]);
  expect(await world.storage.mirror.listRereads(KEY, 10)).toEqual([]);
});
