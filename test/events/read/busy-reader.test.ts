import fc from 'fast-check';
import type { EventContent } from 'kalends/ports';
import { expect, test } from 'vitest';
import { createBusyReader } from '../../../src/events/read/busy-reader.ts';
import { clip, normalize } from '../../../src/free-busy/index.ts';
import { allDay, cancelledSlot, fakeEvent, fakeException } from '../../mirror/fake-events.ts';
import { fakeCalendar } from '../../mirror/fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../../mirror/sync-world.ts';
import { sizeOf } from '../../size-of.ts';
import { plainBusyTime } from './plain-busy.ts';

const RUNS = sizeOf('runs', { short: 40, long: 200 });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Two days before clocks go forward in New York. */
const START = Date.UTC(2026, 2, 6);
const DAYS = 5;
const SECOND = 'cal_2';

const STATES = ['free', 'workingElsewhere', 'tentative', 'busy', 'oof'] as const;
const RULES = [
  'RRULE:FREQ=DAILY',
  'RRULE:FREQ=DAILY;COUNT=4',
  'RRULE:FREQ=WEEKLY;BYDAY=FR,SU,MO',
  'RRULE:FREQ=MONTHLY',
];
const instant = (ms: number, timeZone: string) => ({ dateTime: new Date(ms).toISOString(), timeZone });

const times = fc.oneof(
  fc
    .record({
      from: fc.integer({ min: -60, max: 24 * DAYS }),
      length: fc.integer({ min: 0, max: 40 }),
      zone: fc.constantFrom('America/New_York', 'Europe/Rome', 'UTC', 'Nowhere/Land'),
    })
    .map(({ from, length, zone }) => ({
      isAllDay: false,
      start: instant(START + from * HOUR_MS, zone),
      end: instant(START + (from + length) * HOUR_MS, zone),
    })),
  fc.record({ from: fc.integer({ min: -3, max: DAYS }), length: fc.integer({ min: 1, max: 3 }) }).map((days) => {
    const date = (day: number) => new Date(START + day * DAY_MS).toISOString().slice(0, 10);
    return allDay(date(days.from), date(days.from + days.length));
  }),
);

const content: fc.Arbitrary<Partial<EventContent>> = fc
  .record({ times, showAs: fc.constantFrom(...STATES), isDeclined: fc.integer({ min: 0, max: 7 }) })
  .map(({ times, showAs, isDeclined }) => ({
    ...times,
    showAs,
    transparency: showAs === 'free' ? 'transparent' : 'opaque',
    ...(isDeclined === 0 ? { myResponseStatus: 'declined' as const } : {}),
  }));

const plan = fc.record({
  calendar: fc.constantFrom(CALENDAR, SECOND),
  content,
  rule: fc.option(fc.constantFrom(...RULES)),
  exceptions: fc.array(fc.record({ slot: fc.integer({ min: 0, max: 6 }), content: fc.option(content) }), {
    maxLength: 3,
  }),
});
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

function put(world: SyncWorld, plans: readonly Plan[]): void {
  for (const [index, { calendar, content, rule, exceptions }] of plans.entries()) {
    const id = `e${index}`;
    world.fake.put(calendar, fakeEvent(id, { ...content, ...(rule === null ? {} : { recurrence: [rule] }) }));
    if (rule === null) continue;
    const { start, isAllDay } = content;
    for (const [place, exception] of exceptions.entries()) {
      const startMs = Date.parse(isAllDay ? `${start?.dateTime}Z` : (start?.dateTime ?? '')) + exception.slot * DAY_MS;
      const slot = isAllDay
        ? { kind: 'date' as const, date: new Date(startMs).toISOString().slice(0, 10) }
        : { kind: 'instant' as const, startMs };
      const name = `${id}x${place}`;
      world.fake.put(
        calendar,
        exception.content === null ? cancelledSlot(id, slot, name) : fakeException(name, id, slot, exception.content),
      );
    }
  }
}

test.each([10_000, 3])('busy time beside the events is that of the events, with %i items a statement', async (most) => {
  const window = fc.record({ from: fc.integer({ min: -1, max: 3 }), days: fc.integer({ min: 1, max: DAYS }) });
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { maxLength: 8 }), window, async (plans, { from, days }) => {
      const world = await syncWorld();
      try {
        world.fake.putCalendar(fakeCalendar(SECOND, { timeZone: 'Pacific/Auckland' }));
        put(world, plans);
        const [startMs, endMs] = [START + from * DAY_MS, START + (from + days) * DAY_MS];
        const answer = await world.freeBusy.query(CALLER, ACCOUNT, {
          startDateTime: new Date(startMs).toISOString(),
          endDateTime: new Date(endMs).toISOString(),
          timeZone: 'UTC',
          calendarIds: [CALENDAR, SECOND],
        });
        const reader = createBusyReader(world.storage.mirror, most);
        const calendars = [CALENDAR, 'none', SECOND].map((calendarId) => ({ accountId: ACCOUNT, calendarId }));
        const [first, none, second] = await reader.read(CALLER.applicationId, calendars, { startMs, endMs });
        expect(none).toBeUndefined();
        const plain = [CALENDAR, SECOND].map((calendarId) =>
          plainBusyTime(world.storage, calendarId, { startMs, endMs }),
        );
        const shown = [first, second].map((spans) => clip(normalize(spans ?? []), { startMs, endMs }));
        expect(shown).toEqual(await Promise.all(plain));
        expect(shown).toEqual(
          answer.map(({ busySlots }) =>
            busySlots.map(({ start, end }) => ({
              startMs: Date.parse(start.dateTime),
              endMs: Date.parse(end.dateTime),
            })),
          ),
        );
      } finally {
        await world.close();
      }
    }),
    { numRuns: RUNS },
  );
}, 120_000);

test('time is not halved for series without end, nor for exceptions elsewhere, which half of it would not leave out', async () => {
  const world = await syncWorld();
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    world.fake.put(
      CALENDAR,
      fakeEvent(id, { ...allDay('2026-01-01', '2026-01-02'), recurrence: ['RRULE:FREQ=DAILY'] }),
    );
    const slot = { kind: 'date', date: '2026-06-01' } as const;
    world.fake.put(CALENDAR, fakeException(`${id}1`, id, slot, allDay('2026-06-01', '2026-06-03')));
  }
  const until = (days: number) => ({ startMs: START, endMs: START + days * DAY_MS });
  await world.freeBusy.query(CALLER, ACCOUNT, {
    startDateTime: new Date(START).toISOString(),
    endDateTime: new Date(until(120).endMs).toISOString(),
    timeZone: 'UTC',
    calendarIds: [CALENDAR],
  });
  let statements = 0;
  const counting: Pick<typeof world.storage.mirror, 'readBusy'> = {
    readBusy(query) {
      statements += 1;
      return world.storage.mirror.readBusy(query);
    },
  };
  const calendars = [{ accountId: ACCOUNT, calendarId: CALENDAR }];
  const [spans] = await createBusyReader(counting, 3).read(CALLER.applicationId, calendars, until(50));
  // Days begin at midnight in New York.
  expect([spans?.length, statements]).toEqual([5 * 51, 1]);
  // The five exceptions have an end: of a window that they meet, they count.
  const [more = []] = await createBusyReader(counting, 3).read(CALLER.applicationId, calendars, until(120));
  expect(statements).toBeGreaterThan(2);
  expect(clip(normalize(more), until(120))).toEqual(await plainBusyTime(world.storage, CALENDAR, until(120)));
  await world.close();
});
