import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listKeyOf } from '../../src/mirror/index.ts';
import { fakeEvent, fakeException, newYork } from './fake-events.ts';
import { fakeCalendar } from './fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from './sync-world.ts';

const LIST = listKeyOf(KEY);
const DAILY = { ...newYork('2026-03-02', '09:00', '10:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] };

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, fakeEvent('a'));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
});
afterEach(() => world.close());

/** Runs an action while the answer to the next call of this name is under way. */
function during(name: string, action: () => Promise<unknown>) {
  world.fake.switches.beforeAnswer = async (call) => {
    if (call !== name) return;
    world.fake.switches.beforeAnswer = undefined;
    await action();
  };
}

const isHinted = async (key: typeof LIST) => {
  const { hintSeq, clearedHintSeq } = await world.storage.schedule.get(key);
  return hintSeq > clearedHintSeq;
};

/** Returns whether the background pulls are woken while the action runs. */
async function wakes(action: () => Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  let isWoken = false;
  const waiting = world.due.wait(60_000, ended.signal).then(
    () => {
      isWoken = !ended.signal.aborted;
    },
    () => undefined,
  );
  await action();
  for (let i = 0; i < 5; i++) await new Promise<void>((resolve) => setImmediate(resolve));
  ended.abort();
  await waiting;
  return isWoken;
}

describe('a write of an event', () => {
  test('wakes the delivery of its message once', async () => {
    const before = world.enqueued();
    await world.events.update(CALLER, ACCOUNT, CALENDAR, 'a', { title: 'b' });
    expect(world.enqueued()).toBe(before + 1);
  });

  test('that moves a series without its exceptions has the series read again, soon', async () => {
    world.fake.put(CALENDAR, fakeEvent('s', DAILY));
    const slot = { kind: 'instant', startMs: Date.UTC(2026, 2, 3, 14) } as const;
    world.fake.put(CALENDAR, fakeException('x', 's', slot));
    await world.mirror.pull(world.account, CALENDAR);
    const { writeCount } = (await world.storage.mirror.find(KEY)) ?? { writeCount: 0 };
    const event = fakeEvent('s', { ...DAILY, recurrence: ['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=5'] });
    expect(await wakes(() => world.mirror.applyEvents(KEY, [{ kind: 'event', event }], writeCount, 1))).toBe(true);
    expect((await world.storage.mirror.listRereads(KEY, 9)).map(({ itemId }) => itemId)).toEqual(['s']);
    expect(await isHinted(KEY)).toBe(true);
  });
});

test('an item to read again makes its calendar due, and wakes the background pulls', async () => {
  expect(await wakes(async () => undefined)).toBe(false);
  expect(await wakes(() => world.mirror.requestReread(KEY, ['a']))).toBe(true);
  expect(await isHinted(KEY)).toBe(true);
});

describe('a write of a calendar', () => {
  const rename = () => world.calendars.update(CALLER, ACCOUNT, CALENDAR, { name: 'ours' });

  test('wakes the delivery of its message once, and leaves the list alone', async () => {
    const before = world.enqueued();
    await rename();
    expect(world.enqueued()).toBe(before + 1);
    expect(await isHinted(LIST)).toBe(false);
  });

  test('that crossed with a pull has the list pulled again', async () => {
    during('calendars.update', async () => {
      world.fake.putCalendar(fakeCalendar(CALENDAR, { name: 'theirs' }));
      await world.mirror.pull(world.account, null);
    });
    expect(await wakes(rename)).toBe(true);
    expect(await isHinted(LIST)).toBe(true);
  });
});
