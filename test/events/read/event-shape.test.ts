import { calendarEvent } from 'kalends/model';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEvent, newYork } from '../../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../../mirror/sync-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
});
afterEach(() => world.close());

test('fields are in the order of the documentation: the id first, then the title', async () => {
  const content = {
    ...newYork('2026-03-02', '09:00', '10:00'),
    recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    colorId: '4',
  };
  world.fake.put(CALENDAR, fakeEvent('s', content));
  const order = Object.keys(calendarEvent.shape);
  for (const id of ['s', 's_20260303T140000Z']) {
    const fields = Object.keys(await world.events.get(CALLER, ACCOUNT, CALENDAR, id));
    expect(fields.slice(0, 2)).toEqual(['id', 'title']);
    expect(fields).toEqual(order.filter((field) => fields.includes(field)));
  }
});

test('a start off its rule is named by the name that the caller gave it', async () => {
  const body = {
    title: 'x',
    start: { dateTime: '2026-03-03T09:00:00', timeZone: 'UTC' },
    recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO'],
  };
  await expect(world.events.create(CALLER, ACCOUNT, CALENDAR, body)).rejects.toMatchObject({
    message: 'start: 2026-03-03T09:00:00 is not produced by the rule; the first that fits is 2026-03-09T09:00:00',
  });
});
