import type { ProviderEvent } from 'kalends/ports';
import { afterEach, expect, it } from 'vitest';
import { eventsPath, expectProblem, query } from '../interface/steps.ts';
import { createWorld, type World } from '../interface/world.ts';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const numbers = (count: number) => [...Array(count).keys()].join();
const EVERY_SECOND = `RRULE:FREQ=DAILY;BYHOUR=${numbers(24)};BYMINUTE=${numbers(60)};BYSECOND=${numbers(60)}`;

let world: World | SyncWorld;
afterEach(() => world.close());

it('refuses a daily rule that fires every second, when it is created and when it is changed to it', async () => {
  const whole = await createWorld();
  world = whole;
  const connected = await whole.connect('google');
  const start = { dateTime: '2026-01-01T00:00:00Z' };
  const refused = await whole.call('POST', eventsPath(connected), {
    body: { title: 'x', start, recurrence: [EVERY_SECOND] },
  });
  expectProblem(refused, 400, 'InvalidRequest', 'recurrence');
  const created = await whole.call('POST', eventsPath(connected), { body: { title: 'x', start } });
  const changed = await whole.call('PUT', eventsPath(connected, created.body.id), {
    body: { recurrence: [EVERY_SECOND] },
  });
  expectProblem(changed, 400, 'InvalidRequest', 'recurrence');
  expect((await whole.call('GET', eventsPath(connected) + query({ search: 'x' }))).body.data).toHaveLength(1);
});

it('caps such a rule of a provider like a rule of seconds', async () => {
  const inner = await syncWorld();
  world = inner;
  const point = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
  const dense: ProviderEvent = fakeEvent('dense', {
    start: point('2026-01-01T00:00:00Z'),
    end: point('2026-01-01T00:00:01Z'),
    recurrence: [EVERY_SECOND],
  });
  inner.fake.put(CALENDAR, dense);
  const busy = await inner.freeBusy.query(CALLER, ACCOUNT, {
    startDateTime: '2026-02-01T00:00:00Z',
    endDateTime: '2026-03-01T00:00:00Z',
    timeZone: 'UTC',
    calendarIds: [CALENDAR],
  });
  // The first that is counted begins a second before the window.
  expect(busy[0]?.busySlots.map(({ end }) => end.dateTime)).toEqual(['2026-02-01T13:53:19+00:00']);
});
