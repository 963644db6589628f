import fc from 'fast-check';
import {
  type AvailabilityQuery,
  availableRanges,
  availableSlots,
  type Participant,
  type SlotOptions,
} from 'kalends/availability';
import { allDaySlot } from 'kalends/free-busy';
import { instantOfText } from 'kalends/zones';
import { describe, expect, test } from 'vitest';
import { randomQuery } from './random-queries.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ROME = 'Europe/Rome';

const slotOf = (from: string, to: string, zone = ROME) => ({
  startMs: instantOfText(from, zone),
  endMs: instantOfText(to, zone),
});

/** A day in Rome, in hours, of one participant who is open from 9 to 17. */
function queryOf(change: Partial<AvailabilityQuery> = {}, participant: Partial<Participant> = {}): AvailabilityQuery {
  const openHours = [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '17:00' } as const];
  return {
    window: slotOf('2026-03-02T00:00', '2026-03-03T00:00'),
    durationMs: HOUR,
    stepMs: HOUR,
    timeZone: ROME,
    participants: [{ id: 'ada', timeZone: ROME, busy: [], openHours, ...participant }],
    ...change,
  };
}

const clocksOf = (query: AvailabilityQuery, options?: SlotOptions) =>
  availableSlots(query, options).slots.map(({ start }) => start.slice(11, 16));

const NINE_TO_FIVE = ['09:00', '10:00', '11:00', '12:00', '13:00', '14:00', '15:00', '16:00'];

describe('rules', () => {
  test('open hours hold whole slots', () => {
    expect(clocksOf(queryOf())).toEqual(NINE_TO_FIVE);
    expect(clocksOf(queryOf({ durationMs: 90 * MINUTE }))).toEqual(NINE_TO_FIVE.slice(0, -1));
  });

  test('a slot may touch busy time, and buffers may touch it too', () => {
    const busy = [slotOf('2026-03-02T12:00', '2026-03-02T13:00')];
    const without = (...clocks: readonly string[]) => NINE_TO_FIVE.filter((clock) => !clocks.includes(clock));
    expect(clocksOf(queryOf({}, { busy }))).toEqual(without('12:00'));
    expect(clocksOf(queryOf({}, { busy, bufferBeforeMs: 15 * MINUTE }))).toEqual(without('12:00', '13:00'));
    expect(clocksOf(queryOf({}, { busy, bufferAfterMs: HOUR }))).toEqual(without('11:00', '12:00'));
    expect(clocksOf(queryOf({}, { busy, bufferAfterMs: HOUR + 1 }))).toEqual(without('10:00', '11:00', '12:00'));
  });

  test('buffers may lie outside of open hours', () => {
    expect(clocksOf(queryOf({ rules: { bufferBeforeMs: HOUR, bufferAfterMs: HOUR } }))).toEqual(NINE_TO_FIVE);
  });

  test('all-day and tentative time is busy unless the query says otherwise', () => {
    const day = { ...allDaySlot(Date.UTC(2026, 2, 2), Date.UTC(2026, 2, 3), ROME), isAllDay: true };
    expect(clocksOf(queryOf({}, { busy: [day] }))).toEqual([]);
    expect(clocksOf(queryOf({ isAllDayBusy: false }, { busy: [day] }))).toEqual(NINE_TO_FIVE);
    const maybe = { ...slotOf('2026-03-02T09:00', '2026-03-02T16:00'), type: 'tentative' } as const;
    expect(clocksOf(queryOf({}, { busy: [maybe] }))).toEqual(['16:00']);
    expect(clocksOf(queryOf({ isTentativeBusy: false }, { busy: [maybe] }))).toEqual(NINE_TO_FIVE);
  });

  test('notice counts from the present', () => {
    const nowMs = instantOfText('2026-03-02T10:30', ROME);
    expect(clocksOf(queryOf({ nowMs }))).toEqual(NINE_TO_FIVE.slice(2));
    expect(clocksOf(queryOf({ nowMs, noticeMs: 3.5 * HOUR }))).toEqual(['14:00', '15:00', '16:00']);
    expect(clocksOf(queryOf({ nowMs: nowMs + 24 * HOUR }))).toEqual([]);
  });

  test('two bookings keep their gap, though other meetings may lie in it', () => {
    const bookings = [slotOf('2026-03-02T12:00', '2026-03-02T13:00')];
    expect(clocksOf(queryOf({}, { bookings, minGapMs: 2 * HOUR }))).toEqual(['09:00', '15:00', '16:00']);
  });

  test('a full day and a full week offer nothing', () => {
    const week = slotOf('2026-03-02T00:00', '2026-03-10T00:00');
    const bookings = [slotOf('2026-03-02T09:00', '2026-03-02T10:00'), slotOf('2026-03-03T09:00', '2026-03-03T10:00')];
    const daysOf = (rules: Partial<Participant>, change = {}) => [
      ...new Set(
        availableSlots(queryOf({ window: week, ...change }, { bookings, ...rules })).slots.map(({ start }) =>
          start.slice(8, 10),
        ),
      ),
    ];
    expect(daysOf({})).toEqual(['02', '03', '04', '05', '06', '09']);
    expect(daysOf({ maxPerDay: 1 })).toEqual(['04', '05', '06', '09']);
    expect(daysOf({ maxPerWeek: 2 })).toEqual(['09']);
    expect(daysOf({ maxPerWeek: 2 }, { weekStart: 'TU' })).toEqual(['02', '03', '04', '05', '06', '09']);
    expect(daysOf({ maxPerWeek: 2 }, { weekStart: 'TH' })).toEqual(['05', '06', '09']);
  });

  test('exceptions replace the hours of their date, a holiday closes it, and an exception opens a holiday', () => {
    const exceptions = [{ date: '2026-03-02', hours: [{ start: '20:00', end: '22:00' }] }];
    expect(clocksOf(queryOf({}, { exceptions }))).toEqual(['20:00', '21:00']);
    expect(clocksOf(queryOf({ rules: { holidays: ['2026-03-02'] } }))).toEqual([]);
    expect(clocksOf(queryOf({ rules: { holidays: ['2026-03-02'] } }, { exceptions }))).toEqual(['20:00', '21:00']);
  });

  test('a night belongs to the day on which it begins', () => {
    const openHours = [{ days: ['SU'], start: '22:00', end: '03:00' } as const];
    expect(clocksOf(queryOf({}, { openHours }))).toEqual(['00:00', '01:00', '02:00']);
    expect(clocksOf(queryOf({ rules: { holidays: ['2026-03-02'] } }, { openHours }))).toEqual([
      '00:00',
      '01:00',
      '02:00',
    ]);
    expect(clocksOf(queryOf({ rules: { holidays: ['2026-03-01'] } }, { openHours }))).toEqual([]);
  });

  test('without open hours every time of the day is open', () => {
    expect(clocksOf(queryOf({}, { openHours: undefined }))).toHaveLength(24);
    expect(clocksOf(queryOf({}, { openHours: undefined, holidays: ['2026-03-02'] }))).toEqual([]);
  });
});

describe('clock changes', () => {
  const startsOn = (date: string, next: string, timeZone: string, change: Partial<AvailabilityQuery> = {}) =>
    availableSlots({
      ...queryOf({}, { openHours: undefined, timeZone }),
      window: slotOf(`${date}T00:00`, `${next}T00:00`, timeZone),
      timeZone,
      ...change,
    }).slots.map(({ start }) => start.slice(11));

  test('a time that the clock skips starts no slot, a time that it shows twice starts two', () => {
    const hours = { stepMs: HOUR, durationMs: HOUR };
    expect(startsOn('2026-03-29', '2026-03-30', ROME, hours).slice(0, 4)).toEqual([
      '00:00:00+01:00',
      '01:00:00+01:00',
      '03:00:00+02:00',
      '04:00:00+02:00',
    ]);
    expect(startsOn('2026-03-29', '2026-03-30', ROME, hours)).toHaveLength(23);
    expect(startsOn('2026-10-25', '2026-10-26', ROME, hours).slice(1, 5)).toEqual([
      '01:00:00+02:00',
      '02:00:00+02:00',
      '02:00:00+01:00',
      '03:00:00+01:00',
    ]);
    expect(startsOn('2026-10-25', '2026-10-26', ROME, hours)).toHaveLength(25);
  });

  test('steps stay on the clock where it turns by half an hour', () => {
    expect(startsOn('2026-10-04', '2026-10-05', 'Australia/Lord_Howe').slice(0, 4)).toEqual([
      '00:00:00+10:30',
      '01:00:00+10:30',
      '03:00:00+11:00',
      '04:00:00+11:00',
    ]);
  });

  test('a day has the instants from its first midnight on, also where the clock repeats the end of the day before', () => {
    // Saint John's turned its clocks back at 00:01, and showed 23:01 of 6 November twice.
    const timeZone = 'America/St_Johns';
    const late = Date.UTC(2010, 10, 7, 2, 45);
    const window = { startMs: Date.UTC(2010, 10, 7, 2), endMs: Date.UTC(2010, 10, 7, 5) };
    const bookings = [{ startMs: late, endMs: late + MINUTE }];
    const query = queryOf(
      { window, timeZone, durationMs: MINUTE, stepMs: 30 * MINUTE },
      { timeZone, openHours: undefined },
    );
    const [participant] = query.participants;
    const full = { ...query, participants: [{ ...participant!, bookings, maxPerDay: 1 }] };
    expect(availableSlots(query).slots.map(({ start }) => start)).toContain('2010-11-06T23:30:00-03:30');
    expect(availableSlots(full).slots.map(({ start }) => start)).toEqual(['2010-11-06T23:30:00-02:30']);
  });

  test('open hours are those of the zone of each participant', () => {
    const openHours = [{ days: ['MO'], start: '09:00', end: '17:00' } as const];
    const participants = [
      { id: 'ada', timeZone: ROME, busy: [], openHours },
      { id: 'ben', timeZone: 'America/New_York', busy: [], openHours },
    ];
    // For three weeks in March the two are five hours apart, else six.
    expect(clocksOf(queryOf({ participants }))).toEqual(['15:00', '16:00']);
    const window = slotOf('2026-03-09T00:00', '2026-03-10T00:00');
    expect(clocksOf(queryOf({ participants, window }))).toEqual(['14:00', '15:00', '16:00']);
    expect(clocksOf(queryOf({ participants, window, timeZone: 'America/New_York' }))).toEqual([
      '09:00',
      '10:00',
      '11:00',
    ]);
  });
});

describe('participants', () => {
  const person = (id: string, change: Partial<Participant> = {}): Participant => ({
    id,
    timeZone: ROME,
    busy: [],
    ...change,
  });
  const at = (from: string, to: string) => slotOf(`2026-03-02T${from}`, `2026-03-02T${to}`);
  const morning = at('09:00', '12:00');

  test('more optional participants rank higher, then earlier slots', () => {
    const participants = [
      person('ada'),
      person('ben', { role: 'optional', busy: [at('09:00', '10:00')] }),
      person('cem', { role: 'optional', busy: [at('09:00', '11:00')] }),
    ];
    const { slots } = availableSlots(queryOf({ window: morning, participants }), { order: 'rank' });
    expect(
      slots.map(({ start, rank, absent, participants: taken, reason }) => [
        start.slice(11, 16),
        rank,
        absent,
        taken,
        reason,
      ]),
    ).toEqual([
      ['11:00', 1, [], ['ada', 'ben', 'cem'], 'all required participants are free; optional participants free: 2 of 2'],
      ['10:00', 2, ['cem'], ['ada', 'ben'], 'all required participants are free; optional participants free: 1 of 2'],
      ['09:00', 3, ['ben', 'cem'], ['ada'], 'all required participants are free; optional participants free: 0 of 2'],
    ]);
  });

  test('a group gives those who are first in line', () => {
    const participants = [
      person('ada'),
      person('r1', { assignments: 1 }),
      person('r2', { busy: [at('09:00', '11:00')] }),
      person('r3', { assignments: 2, busy: [at('10:00', '11:00')] }),
    ];
    const groups = [{ id: 'rooms', members: ['r1', 'r2', 'r3'], take: 2 }];
    const { slots } = availableSlots(queryOf({ window: morning, participants, groups }));
    expect(slots.map(({ start, participants: taken, rank }) => [start.slice(11, 16), taken, rank])).toEqual([
      ['09:00', ['ada', 'r1', 'r3'], 2],
      ['11:00', ['ada', 'r1', 'r2'], 1],
    ]);
    expect(slots[0]?.reason).toBe('all required participants are free; r1, r3 of the 3 in rooms');
  });

  test('max-availability offers every host, max-fairness the next in line', () => {
    const participants = [person('ada', { assignments: 1 }), person('ben', { busy: [at('09:00', '11:00')] })];
    const query = queryOf({ window: morning, participants, mode: 'round-robin' });
    const taken = (distribution: AvailabilityQuery['distribution']) => {
      const { slots, line } = availableSlots({ ...query, distribution });
      return [line, ...slots.map(({ start, participants: [host], reason }) => [start.slice(11, 16), host, reason])];
    };
    expect(taken('max-availability')).toEqual([
      ['ben', 'ada'],
      ['09:00', 'ada', 'ada is first in line of the hosts who are free'],
      ['10:00', 'ada', 'ada is first in line of the hosts who are free'],
      ['11:00', 'ben', 'ben is next in line'],
    ]);
    expect(taken('max-fairness')).toEqual([
      ['ben', 'ada'],
      ['11:00', 'ben', 'ben is next in line'],
    ]);
  });

  test('ranges overlap where the participants change', () => {
    const participants = [person('ada'), person('ben', { role: 'optional', busy: [at('09:00', '10:00')] })];
    const { ranges } = availableRanges(queryOf({ window: morning, participants }));
    expect(
      ranges.map(({ start, end, participants: taken }) => [start.slice(11, 16), end.slice(11, 16), taken]),
    ).toEqual([
      ['09:00', '10:59', ['ada']],
      ['10:00', '12:00', ['ada', 'ben']],
    ]);
  });
});

describe('pages', () => {
  test('pages in a row are the whole answer, in both orders', () => {
    fc.assert(
      fc.property(
        randomQuery,
        fc.constantFrom('start', 'rank'),
        fc.integer({ min: 1, max: 20 }),
        (query, order, limit) => {
          const whole = availableSlots(query, { order, limit: 1000 });
          const found = [];
          let cursor: string | null = null;
          do {
            const page = availableSlots(query, { order, limit, cursor });
            expect(page.slots.length).toBeLessThanOrEqual(limit);
            expect(page.total).toBe(whole.total);
            found.push(...page.slots);
            cursor = page.nextCursor;
          } while (cursor !== null && found.length <= whole.total);
          expect(found).toEqual(whole.slots);
          const ranks = found.map(({ rank }) => rank);
          expect(ranks.toSorted((a, b) => a - b)).toEqual(ranks.map((_, index) => index + 1));
          if (order === 'rank') expect(ranks).toEqual(ranks.map((_, index) => index + 1));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('pages of ranges in a row are the whole answer', () => {
    fc.assert(
      fc.property(randomQuery, (query) => {
        const whole = availableRanges(query, { limit: 1000 });
        const found = [];
        let cursor: string | null = null;
        do {
          const page = availableRanges(query, { limit: 3, cursor });
          found.push(...page.ranges);
          cursor = page.nextCursor;
        } while (cursor !== null && found.length <= whole.ranges.length);
        expect(found).toEqual(whole.ranges);
      }),
      { numRuns: 60 },
    );
  });
});

test('a year of minutes is answered', () => {
  const window = { startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2027, 0, 2) };
  const query = queryOf({ window, durationMs: MINUTE, stepMs: MINUTE, timeZone: 'UTC' }, { openHours: undefined });
  const { total, slots } = availableSlots(query, { order: 'rank', limit: 1000 });
  expect([total, slots.length, slots.at(-1)?.rank]).toEqual([366 * 1440, 1000, 1000]);
});
