import type { CalendarEvent } from 'kalends/model';
import { afterEach, expect, it } from 'vitest';
import { fakeEvent, fakeException, newYork } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

let world: SyncWorld;
afterEach(() => world.close());

const list = (query: object) => world.events.list(CALLER, ACCOUNT, CALENDAR, query);
const march = {
  expandRecurrences: 'true',
  startDateTime: '2026-03-01T00:00:00Z',
  endDateTime: '2026-04-01T00:00:00Z',
};

function putSeries(timeZone?: string): void {
  const { start, end } = newYork('2026-03-02', '09:00', '10:00');
  const own = timeZone === undefined ? {} : { start: { ...start, timeZone }, end: { ...end, timeZone } };
  const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
  world.fake.put(CALENDAR, fakeEvent('daily', { ...newYork('2026-03-02', '09:00', '10:00'), ...own, recurrence }));
}

it.each([
  {},
  march,
])('a modified occurrence whose series changes its zone alone shows its original start in that one, in sync results too: %o', async (query) => {
  world = await syncWorld({ freshWithoutPushMs: 1 });
  putSeries();
  const slot = { kind: 'instant', startMs: Date.parse('2026-03-03T14:00:00Z') } as const;
  world.fake.put(CALENDAR, fakeException('later', 'daily', slot, newYork('2026-03-03', '12:00', '13:00')));
  const before = await list(query);
  const held = new Map(before.data.map((event) => [event.id, event]));
  putSeries('Europe/Paris');
  await world.clock.advance(1_000);
  const changes = await list({ syncToken: before.nextSyncToken ?? '' });
  for (const event of changes.data) held.set(event.id, event);
  const now = await list(query);
  expect(Object.fromEntries(held)).toEqual(Object.fromEntries(now.data.map((event) => [event.id, event])));
  const id = 'daily_20260303T140000Z';
  expect(held.get(id)).toMatchObject({ originalStart: { timeZone: 'Europe/Paris' } });
  const etagOf = ({ data }: typeof before) => (data.find((event) => event.id === id) as CalendarEvent).etag;
  expect(etagOf(now)).not.toBe(etagOf(before));
});
