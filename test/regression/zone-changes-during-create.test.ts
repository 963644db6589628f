import { expect, onTestFinished, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, syncWorld } from '../mirror/sync-world.ts';

test.each([
  'create',
  'update',
] as const)('the answer of an %s has the zone that the calendar has got meanwhile', async (kind) => {
  const world = await syncWorld({ readWaitMs: 1_000_000 });
  onTestFinished(() => world.close());
  const day = {
    isAllDay: true,
    start: { dateTime: '2026-11-23T00:00:00', timeZone: '' },
    end: { dateTime: '2026-11-24T00:00:00', timeZone: '' },
  };
  world.fake.put(CALENDAR, fakeEvent('x', day));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  world.fake.switches.beforeAnswer = async (call) => {
    if (!call.includes(kind)) return;
    delete world.fake.switches.beforeAnswer;
    const { writeCount = 0, at = 0 } = (await world.storage.mirror.find(KEY)) ?? {};
    await world.storage.mirror.commit(KEY, {
      writes: [],
      at,
      tag: 'zone',
      basedOn: writeCount,
      timeZone: 'Asia/Tokyo',
    });
  };
  const times = {
    isAllDay: true,
    start: { dateTime: '2026-11-23T00:00:00' },
    end: { dateTime: '2026-11-24T00:00:00' },
  };
  const answer =
    kind === 'create'
      ? await world.events.create(CALLER, ACCOUNT, CALENDAR, { title: 'New', ...times })
      : await world.events.update(CALLER, ACCOUNT, CALENDAR, 'x', { title: 'New' });
  const read = await world.events.get(CALLER, ACCOUNT, CALENDAR, answer.id, {});
  expect([answer.start, answer.etag]).toEqual([read.start, read.etag]);
  expect(answer.start.timeZone).toBe('Asia/Tokyo');
});
