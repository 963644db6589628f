import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

/*
 * An EXRULE was expanded over every window: one month of a daily event beside `EXRULE:FREQ=SECONDLY` took 3.5 s, and one
 * year exhausted the memory.
 */
let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
});
afterEach(() => world.close());

const busyIn = async (startDateTime: string, endDateTime: string) => {
  const query = { startDateTime, endDateTime, timeZone: 'UTC', calendarIds: [CALENDAR] };
  const [calendar] = await world.freeBusy.query(CALLER, ACCOUNT, query);
  return calendar?.busySlots.map(({ start }) => start.dateTime.slice(0, 16));
};
const point = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
const put = (id: string, ...recurrence: string[]) =>
  world.fake.put(
    CALENDAR,
    fakeEvent(id, { start: point('2026-01-01T09:00:00Z'), end: point('2026-01-01T09:00:01Z'), recurrence }),
  );

it('an invitation that removes every second of a year is asked slot by slot', async () => {
  put('flood', 'RRULE:FREQ=DAILY', 'EXRULE:FREQ=SECONDLY');
  put('honest', 'RRULE:FREQ=DAILY;COUNT=2');
  expect(await busyIn('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z')).toEqual([
    '2026-01-01T09:00',
    '2026-01-02T09:00',
  ]);
});

it('one that leaves nothing of a rule of seconds neither stops a pull nor a question', async () => {
  put('flood', 'RRULE:FREQ=SECONDLY', 'EXRULE:FREQ=SECONDLY');
  put('honest', 'RRULE:FREQ=DAILY;COUNT=2');
  expect(await busyIn('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z')).toEqual([
    '2026-01-01T09:00',
    '2026-01-02T09:00',
  ]);
});
