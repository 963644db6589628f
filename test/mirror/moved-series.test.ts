import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeEvent, fakeException, newYork } from './fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from './sync-world.ts';

/** Google tells a changed master on its own, and nothing of the exceptions whose slots are no more. */

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, series(['RRULE:FREQ=DAILY;COUNT=5']));
  world.fake.put(
    CALENDAR,
    fakeException('x', 's', slot(3), { title: 'moved', ...newYork('2026-03-03', '15:00', '16:00') }),
  );
  world.fake.put(
    CALENDAR,
    fakeException('y', 's', slot(4), { title: 'kept', ...newYork('2026-03-04', '15:00', '16:00') }),
  );
  await titles();
});
afterEach(() => world.close());

const slot = (day: number) => ({ kind: 'instant', startMs: Date.UTC(2026, 2, day, 14) }) as const;
const series = (recurrence: readonly string[] | null) =>
  fakeEvent('s', {
    title: 'series',
    ...newYork('2026-03-02', '09:00', '10:00'),
    recurrence: recurrence === null ? null : [...recurrence],
  });
const pull = () => world.mirror.pull(world.account, CALENDAR);
const titles = async () => {
  const { data } = await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  return data.map((event) => 'title' in event && event.title).sort();
};
const reads = () => world.fake.calls.filter((call) => call === 'events.get').length;

describe('a master whose slots have moved', () => {
  test('loses exceptions that the provider dropped silently', async () => {
    world.fake.events(CALENDAR).delete('x');
    world.fake.put(CALENDAR, series(['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=5']));
    await pull();
    expect(await titles()).toEqual(['kept', 'series']);
  });

  test('loses all exceptions when it stops recurring, also in a resync', async () => {
    world.fake.events(CALENDAR).delete('x');
    world.fake.events(CALENDAR).delete('y');
    world.fake.put(CALENDAR, series(null));
    await pull();
    expect(await titles()).toEqual(['series']);
  });

  test('is not re-read when only its title changed', async () => {
    const before = reads();
    world.fake.put(CALENDAR, { ...series(['RRULE:FREQ=DAILY;COUNT=5']), isOrganizer: false });
    await pull();
    expect(reads()).toBe(before);
    expect(await titles()).toEqual(['kept', 'moved', 'series']);
  });
});

test('a resync removes the exceptions of an event that stopped recurring', async () => {
  world.fake.events(CALENDAR).delete('x');
  world.fake.events(CALENDAR).delete('y');
  world.fake.put(CALENDAR, series(null));
  world.fake.expireTokens();
  await pull();
  expect(await titles()).toEqual(['series']);
});
