import type { ProviderEvent } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cancelledSlot, fakeEvent, fakeException, newYork } from './fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from './sync-world.ts';

/** Records that live only here: the provider has put the object away (Graph does so with what its owner declines). */

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, SERIES);
  await list();
});
afterEach(() => world.close());

const SERIES = fakeEvent('s', {
  ...newYork('2026-03-02', '09:00', '10:00'),
  recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
});
const slot = (day: number) => ({ kind: 'instant', startMs: Date.UTC(2026, 2, day, 14) }) as const;
const idOf = (day: number) => `s_2026030${day}T140000Z`;
const list = (query = {}) => world.events.list(CALLER, ACCOUNT, CALENDAR, query);
const ids = async () => (await list()).data.map(({ id }) => id).sort();
const get = (id: string) => world.events.get(CALLER, ACCOUNT, CALENDAR, id);
const pull = () => world.mirror.pull(world.account, CALENDAR);

/** The slot of the 3rd was declined and is remembered; the provider has only a stub of it. */
async function declineOccurrence(): Promise<ProviderEvent> {
  const content = {
    title: 'declined',
    myResponseStatus: 'declined',
    ...newYork('2026-03-03', '09:00', '10:00'),
  } as const;
  const record = { ...fakeException('x', 's', slot(3), content), isKeptLocally: true };
  world.fake.put(CALENDAR, record);
  await pull();
  world.fake.events(CALENDAR).set('x', cancelledSlot('s', slot(3), 'x'));
  return record;
}

const isKept = async () => expect(await get(idOf(3))).toMatchObject({ title: 'declined', isCancelled: false });

describe('a declined occurrence inside its series', () => {
  beforeEach(declineOccurrence);

  test('survives a stub in its slot', async () => {
    world.fake.put(CALENDAR, cancelledSlot('s', slot(3), 'x'));
    await pull();
    await isKept();
  });

  test('survives a change of its whole series, with a stub and without', async () => {
    world.fake.touchSeries(CALENDAR, 's');
    await pull();
    await isKept();
    world.fake.events(CALENDAR).delete('x');
    world.fake.touchSeries(CALENDAR, 's');
    await pull();
    await isKept();
  });

  test('survives a full resync', async () => {
    world.fake.events(CALENDAR).delete('x');
    world.fake.expireTokens();
    await pull();
    await isKept();
  });

  test('survives our own writes to the series and to another slot', async () => {
    await world.events.update(CALLER, ACCOUNT, CALENDAR, 's', { location: 'Room 1' });
    await isKept();
    await world.events.delete(CALLER, ACCOUNT, CALENDAR, idOf(4));
    await isKept();
  });

  test('is removed when we cancel it', async () => {
    await world.events.delete(CALLER, ACCOUNT, CALENDAR, idOf(3));
    expect(await get(idOf(3))).toMatchObject({ isCancelled: true });
    await pull();
    expect(await get(idOf(3))).toMatchObject({ isCancelled: true });
  });

  test('is removed with its series', async () => {
    world.fake.remove(CALENDAR, 's');
    await pull();
    expect(await ids()).toEqual([]);
  });

  test('becomes an ordinary exception, without a new version, when the provider lists it with content', async () => {
    const shown = fakeException('x', 's', slot(3), {
      title: 'declined',
      myResponseStatus: 'declined',
      ...newYork('2026-03-03', '09:00', '10:00'),
    });
    world.fake.put(CALENDAR, shown);
    const before = (await world.storage.mirror.find(KEY))!.revision;
    await pull();
    expect((await world.storage.mirror.find(KEY))!.revision).toBe(before);
    world.fake.put(CALENDAR, cancelledSlot('s', slot(3), 'x'));
    await pull();
    expect(await get(idOf(3))).toMatchObject({ isCancelled: true });
  });
});

test('a declined series keeps its exceptions until we delete it', async () => {
  world.fake.put(
    CALENDAR,
    fakeException('x', 's', slot(3), { title: 'moved', ...newYork('2026-03-03', '11:00', '12:00') }),
  );
  world.fake.put(CALENDAR, { ...SERIES, isKeptLocally: true });
  await pull();
  world.fake.remove(CALENDAR, 's');
  await pull();
  expect(await ids()).toEqual(['s', idOf(3)]);
  world.fake.expireTokens();
  await pull();
  expect(await ids()).toEqual(['s', idOf(3)]);
  await world.events.delete(CALLER, ACCOUNT, CALENDAR, 's');
  expect(await ids()).toEqual([]);
});

test('private provider data is updated in place: no version, no message', async () => {
  world.fake.put(CALENDAR, { ...fakeEvent('a'), providerData: { n: 1 } });
  await pull();
  const before = (await world.storage.mirror.find(KEY))?.revision;
  world.fake.put(CALENDAR, { ...fakeEvent('a'), providerData: { n: 2 } });
  await pull();
  expect((await world.storage.mirror.find(KEY))?.revision).toBe(before);
  const [item] = await world.storage.mirror.findItems(KEY, ['a']);
  expect(item).toMatchObject({ privateContent: { providerData: { n: 2 } } });
});
