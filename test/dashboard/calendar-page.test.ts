import fc from 'fast-check';
import type { CalendarEvent } from 'kalends/model';
import { compileSeries } from 'kalends/recurrence';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  changesOf,
  createBodyOf,
  draftOf,
  moveBodyOf,
  newDraft,
  withStart,
} from '../../adapters/dashboard/page/pages/calendar/event-draft.ts';
import { mergedSlots } from '../../adapters/dashboard/page/pages/calendar/merged-slots.ts';
import { moved, periodOf, periodTitle } from '../../adapters/dashboard/page/pages/calendar/period.ts';
import {
  choiceOf,
  linesOf,
  NO_RECURRENCE,
  type RecurrenceChoice,
} from '../../adapters/dashboard/page/pages/calendar/recurrence-choice.ts';
import { isWithin, marksOf, shownEvent } from '../../adapters/dashboard/page/pages/calendar/shown-event.ts';
import { touchedDates } from '../../adapters/dashboard/page/pages/calendar/touched-dates.ts';
import { addMonths, clockChanges, mondayOf } from '../../adapters/dashboard/page/parts/wall-time.ts';

/* The parts of the calendar page that need no browser; test/browser plays the page. */
const ROME = 'Europe/Rome';

function eventOf(parts: Partial<CalendarEvent> & { readonly start: CalendarEvent['start'] }): CalendarEvent {
  return {
    id: 'ev',
    title: 'Talk',
    location: '',
    description: '',
    attendees: [],
    isAllDay: false,
    isCancelled: false,
    isRecurring: false,
    isException: false,
    recurrence: null,
    transparency: 'opaque',
    showAs: 'busy',
    end: parts.start,
    ...parts,
  } as CalendarEvent;
}

const at = (dateTime: string, timeZone = ROME) => ({ dateTime, timeZone });

describe('periods', () => {
  it.each([
    ['week', '2027-03-28', { start: '2027-03-22', end: '2027-03-29' }, '22–28 Mar 2027'],
    ['month', '2027-02-14', { start: '2027-02-01', end: '2027-03-01' }, 'February 2027'],
    ['month', '2027-03-31', { start: '2027-03-01', end: '2027-04-05' }, 'March 2027'],
    ['agenda', '2027-12-25', { start: '2027-12-25', end: '2028-01-08' }, '25 Dec 2027 – 7 Jan 2028'],
  ] as const)('%s of %s', (view, date, period, title) => {
    expect(periodOf(view, date)).toEqual(period);
    expect(periodTitle(view, date, period).replaceAll(/\s*–\s*/g, '–')).toBe(title.replaceAll(/\s*–\s*/g, '–'));
  });

  it('come one after another', () => {
    expect(['week', 'month', 'agenda'].map((view) => moved(view as 'week', '2027-01-31', 1))).toEqual([
      '2027-02-07',
      '2027-02-01',
      '2027-02-14',
    ]);
    expect([mondayOf('2027-03-22'), mondayOf('2027-03-28'), mondayOf('1969-12-31')]).toEqual([
      '2027-03-22',
      '2027-03-22',
      '1969-12-29',
    ]);
    expect([addMonths('2027-01-31', 1), addMonths('2027-01-31', -2)]).toEqual(['2027-02-28', '2026-11-30']);
  });

  it('know on which days clocks change, forward, back, and by half an hour', () => {
    expect(clockChanges(ROME, '2027-03-22', '2027-03-29')).toEqual([
      { date: '2027-03-28', from: '02:00', to: '03:00' },
    ]);
    expect(clockChanges(ROME, '2027-10-25', '2027-11-01')).toEqual([
      { date: '2027-10-31', from: '03:00', to: '02:00' },
    ]);
    expect(clockChanges('Australia/Lord_Howe', '2027-04-01', '2027-04-08')).toEqual([
      { date: '2027-04-04', from: '02:00', to: '01:30' },
    ]);
    expect(clockChanges('UTC', '2027-01-01', '2028-01-01')).toEqual([]);
  });
});

describe('events in their place', () => {
  it('are drawn by the wall clock of the zone, with a length where clocks are set back', () => {
    const event = eventOf({ start: at('2027-10-31T02:30:00+02:00'), end: at('2027-10-31T02:15:00+01:00') });
    expect(shownEvent('c', event, ROME)).toMatchObject({ start: '2027-10-31T02:30:00', end: '2027-10-31T03:15:00' });
    expect(shownEvent('c', event, 'UTC')).toMatchObject({ start: '2027-10-31T00:30:00', end: '2027-10-31T01:15:00' });
  });

  it('are within the days that they touch', () => {
    const week = { start: '2027-03-22', end: '2027-03-29' };
    const within = (start: string, end: string) => isWithin({ start, end }, week);
    expect(within('2027-03-21T23:00:00', '2027-03-22T00:00:01')).toBe(true);
    expect(within('2027-03-28T23:00:00', '2027-03-29T01:00:00')).toBe(true);
    expect(within('2027-03-29T00:00:00', '2027-03-29T01:00:00')).toBe(false);
    expect(within('2027-03-20', '2027-03-23')).toBe(true);
    expect(within('2027-03-20', '2027-03-22')).toBe(false);
  });

  it('have a mark for each state', () => {
    const start = at('2027-03-23T10:00:00+01:00');
    const marks = (parts: Partial<CalendarEvent>) => marksOf(eventOf({ start, ...parts }));
    const occurrence = { recurringEventId: 'series' };
    expect(marks({})).toEqual([]);
    expect(marks({ ...occurrence, originalStart: at('2027-03-23T09:00:00Z', 'UTC') })).toEqual(['recurring']);
    expect(marks({ ...occurrence, originalStart: at('2027-03-23T11:00:00+01:00') })).toEqual(['recurring', 'moved']);
    expect(marks({ isCancelled: true })).toEqual(['cancelled']);
    expect(marks({ myResponseStatus: 'declined' })).toEqual(['declined']);
    expect(marks({ myResponseStatus: 'needsAction', organizer: { isSelf: true } })).toEqual([]);
    expect(marks({ transparency: 'transparent' })).toEqual(['free']);
  });

  it('say which dates a change touches', () => {
    const weekly = Array.from({ length: 6 }, (_, week) => {
      const day = new Date(Date.UTC(2027, 2, 9 + 7 * week)).toISOString().slice(0, 10);
      return eventOf({ start: at(`${day}T23:30:00+01:00`) });
    });
    expect(touchedDates(weekly.slice(0, 2), false)).toBe('Tue 9 Mar 2027, Tue 16 Mar');
    expect(touchedDates(weekly, false)).toBe(
      'Tue 9 Mar 2027, Tue 16 Mar, Tue 23 Mar, Tue 30 Mar, 2 more until Tue 13 Apr 2027',
    );
    expect(touchedDates(weekly, true)).toMatch(/Tue 30 Mar, and so on, without an end$/);
    expect(touchedDates([], false)).toBe('none');
  });

  it('join the busy times of several calendars', () => {
    const slot = (from: number, to: number) => ({
      start: at(new Date(from).toISOString()),
      end: at(new Date(to).toISOString()),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 10 }))), (spans) => {
        const joined = mergedSlots(spans.map(([from, length]) => slot(from * 1000, (from + length) * 1000)));
        const covered = (ms: number) => joined.some(([start, end]) => start <= ms && ms < end);
        for (let second = 0; second < 60; second += 1) {
          const isBusy = spans.some(([from, length]) => from <= second && second < from + length);
          expect(covered(second * 1000)).toBe(isBusy);
        }
        for (const [index, [start]] of joined.entries()) {
          expect(start).toBeGreaterThan(joined[index - 1]?.[1] ?? -1);
        }
      }),
    );
  });
});

describe('the recurrence editor', () => {
  const START = '2027-03-23';

  it.each([
    [['RRULE:FREQ=WEEKLY;COUNT=6'], { frequency: 'WEEKLY', ends: 'count', count: 6, weekdays: [] }],
    [['RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH'], { frequency: 'WEEKLY', interval: 2, weekdays: [1, 3] }],
    [['RRULE:FREQ=MONTHLY;BYDAY=4TU'], { frequency: 'MONTHLY', isByWeekday: true }],
    [['RRULE:FREQ=DAILY;UNTIL=20270401'], { frequency: 'DAILY', ends: 'until', until: '2027-04-01' }],
    [['RRULE:FREQ=MONTHLY;BYDAY=1MO'], { frequency: 'custom', custom: 'FREQ=MONTHLY;BYDAY=1MO' }],
    [['RRULE:FREQ=DAILY;UNTIL=20270401T080000Z'], { frequency: 'custom' }],
    [['RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=23'], { frequency: 'custom' }],
    [['RRULE:FREQ=DAILY', 'EXDATE;TZID=Europe/Rome:20270324T100000'], { frequency: 'DAILY' }],
    [['RDATE:20270324T100000Z'], { frequency: 'none' }],
    [[], { frequency: 'none' }],
  ] as const)('shows %j, and writes it back as it was', (lines, parts) => {
    const choice = choiceOf(lines, START);
    expect(choice).toMatchObject(parts);
    if (choice.frequency !== 'none') expect(linesOf(choice, START)).toEqual(lines);
  });

  it('writes rules that the start produces, with the occurrences that were asked for', () => {
    const choices = fc.record({
      frequency: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
      interval: fc.integer({ min: 1, max: 4 }),
      weekdays: fc.subarray([0, 1, 2, 3, 4, 5, 6]),
      isByWeekday: fc.boolean(),
      count: fc.integer({ min: 1, max: 9 }),
    });
    const dates = fc.date({ min: new Date('2024-01-01'), max: new Date('2030-12-28'), noInvalidDate: true });
    fc.assert(
      fc.property(choices, dates, (parts, day) => {
        const start = day.toISOString().slice(0, 10);
        const weekday = (day.getUTCDay() + 6) % 7;
        const weekdays = [...new Set([...parts.weekdays, weekday])];
        const choice = { ...NO_RECURRENCE, ...parts, weekdays, ends: 'count' } as RecurrenceChoice;
        const lines = linesOf(choice, start);
        const series = compileSeries({ dtstart: start, timeZone: null, lines });
        const starts: number[] = [];
        for (const { startMs } of series.iterate({ from: Date.parse(start), to: Number.POSITIVE_INFINITY })) {
          starts.push(startMs);
          if (starts.length > parts.count) break;
        }
        expect([starts[0], starts.length]).toEqual([Date.parse(start), parts.count]);
        expect(linesOf(choiceOf(lines, start), start)).toEqual(lines);
      }),
    );
  });
});

describe('the form', () => {
  const event = eventOf({
    start: at('2027-03-27T09:00:00+01:00'),
    end: at('2027-03-27T10:30:00+01:00'),
    location: 'Room 4',
    attendees: [{ id: '1', name: '', email: 'bob@example.com', responseStatus: 'accepted', kind: 'required' }],
  });

  it('sends the fields that were changed, times together', () => {
    const before = draftOf(event, []);
    expect(changesOf(before, before)).toEqual({});
    expect(changesOf(before, { ...before, title: 'Longer talk' })).toEqual({ title: 'Longer talk' });
    const later = withStart(before, { startDate: '2027-03-28', startTime: '23:00' });
    expect(later).toMatchObject({ endDate: '2027-03-29', endTime: '00:30' });
    expect(changesOf(before, later)).toEqual({
      start: at('2027-03-28T23:00:00'),
      end: at('2027-03-29T00:30:00'),
    });
    expect(changesOf(before, { ...before, isAllDay: true })).toEqual({
      isAllDay: true,
      start: { date: '2027-03-27' },
      end: { date: '2027-03-28' },
    });
    const series = draftOf(event, ['RRULE:FREQ=DAILY']);
    expect(changesOf(series, { ...series, recurrence: NO_RECURRENCE })).toEqual({ recurrence: null });
    expect(bodyOf({ ...before, guests: 'bob@example.com, eve@example.com\n' }).attendees).toEqual([
      { email: 'bob@example.com' },
      { email: 'eve@example.com' },
    ]);
  });

  it('keeps all-day events in days, the last one inclusive', () => {
    const days = eventOf({ start: at('2027-03-27T00:00:00'), end: at('2027-03-29T00:00:00'), isAllDay: true });
    const draft = draftOf(days, []);
    expect([draft.startDate, draft.endDate]).toEqual(['2027-03-27', '2027-03-28']);
    expect(changesOf(draft, { ...draft, title: 'Fair' })).toEqual({ title: 'Fair' });
    expect(moveBodyOf(days, { start: '2027-04-01', end: '2027-04-03', isAllDay: true }, ROME)).toEqual({
      start: { date: '2027-04-01' },
      end: { date: '2027-04-03' },
    });
  });

  it('creates with what was filled in', () => {
    const draft = newDraft({ start: '2027-03-27T09:00:00', end: '2027-03-27T10:00:00', isAllDay: false }, ROME);
    expect(createBodyOf({ ...draft, title: 'Talk' })).toEqual({
      title: 'Talk',
      start: at('2027-03-27T09:00:00'),
      end: at('2027-03-27T10:00:00'),
      showAs: 'busy',
    });
  });

  it('moves by the wall clock of the shown zone, and keeps the zone of the event', () => {
    const times = { start: '2027-03-28T09:00:00', end: '2027-03-28T10:30:00', isAllDay: false };
    expect(moveBodyOf(event, times, 'America/New_York')).toEqual({
      start: at('2027-03-28T09:00:00-04:00'),
      end: at('2027-03-28T10:30:00-04:00'),
    });
  });
});
