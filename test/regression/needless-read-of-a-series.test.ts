import { ProviderError } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeEvent, fakeException, newYork } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

// At Microsoft, an id of which it is not known that it names a series takes a call that finds that out.

const AT_NINE = newYork('2026-03-02', '09:00', '10:00');
const MOVED_SLOT = { kind: 'instant', startMs: Date.parse('2026-03-04T14:00:00Z') } as const;
const MOVED_ID = 's_20260304T140000Z';
const COMPUTED_ID = 's_20260305T140000Z';

let world: SyncWorld;
/** Objects that were fetched, as `series` or `object` with their id. */
let fetched: string[];
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, fakeEvent('a'));
  world.fake.put(CALENDAR, fakeEvent('s', { recurrence: ['RRULE:FREQ=DAILY;COUNT=9'], ...AT_NINE }));
  world.fake.put(CALENDAR, fakeException('x', 's', MOVED_SLOT, { title: 'other', ...AT_NINE }));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  fetched = [];
  const { events } = world.fake.provider;
  const { get } = events;
  Object.assign(events, {
    get: (...request: Parameters<typeof get>) => {
      fetched.push(`${request[3]?.isSeries === true ? 'series' : 'object'} ${request[2]}`);
      return get(...request);
    },
  });
});
afterEach(() => world.close());

const update = (id: string, options = {}) =>
  world.events.update(CALLER, ACCOUNT, CALENDAR, id, { title: 'new' }, options);
const etagOf = async (id: string) => (await world.events.get(CALLER, ACCOUNT, CALENDAR, id)).etag;

const READ_WITH = [
  ['a', 'object a'],
  ['s', 'series s'],
  [MOVED_ID, 'series s'],
] as const;

describe('a provider is told that an object is a series', () => {
  test.each([...READ_WITH, [COMPUTED_ID, 'series s'] as const])('after a failed write to %s', async (id, expected) => {
    world.fake.switches.fail = (call) =>
      call === 'events.update' ? new ProviderError('unavailable', 'no answer') : undefined;
    await expect(update(id)).rejects.toThrow();
    expect(fetched).toEqual([expected]);
  });

  test.each(READ_WITH)('after a write to %s under a tag that has moved', async (id, expected) => {
    const ifMatch = await etagOf(id);
    for (const event of [...world.fake.events(CALENDAR).values()]) world.fake.put(CALENDAR, event);
    await update(id, { ifMatch });
    expect(fetched).toEqual([expected]);
  });

  test.each(READ_WITH)('when %s is on the re-read list', async (id, expected) => {
    await world.storage.mirror.addRereads(KEY, [id]);
    await world.mirror.pull(world.account, CALENDAR);
    expect(fetched).toEqual([expected]);
  });

  test('when an occurrence that is no exception is on the re-read list', async () => {
    await world.storage.mirror.addRereads(KEY, [COMPUTED_ID]);
    await world.mirror.pull(world.account, CALENDAR);
    expect(fetched).toEqual(['series s']);
  });

  test('when a full listing left it out', async () => {
    for (const id of ['a', 's', 'x']) world.fake.switches.hidden.add(id);
    world.fake.expireTokens();
    await world.mirror.pull(world.account, CALENDAR);
    expect(new Set(fetched)).toEqual(new Set(['object a', 'series s']));
  });
});
