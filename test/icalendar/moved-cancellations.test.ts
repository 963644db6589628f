import { continueResource, type EditContext, editResource, readCalendars } from 'kalends/icalendar';
import type { EventPatch, NewEvent, RecurrenceId } from 'kalends/ports';
import { expect, test } from 'vitest';

const BERLIN = 'Europe/Berlin';
const CONTEXT: EditContext = { now: Date.UTC(2026, 5, 1), calendarZone: BERLIN, email: 'me@example.com' };
const EVENT = { kind: 'event' } as const;

const TIMED = ['DTSTART;TZID=Europe/Berlin:20260302T090000', 'DTEND;TZID=Europe/Berlin:20260302T100000'];

/** A daily series of March. */
function series(lines: readonly string[], others: readonly string[] = []): string {
  const event = ['BEGIN:VEVENT', 'UID:one', 'DTSTAMP:20260101T000000Z', 'SUMMARY:Title', ...lines, 'END:VEVENT'];
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//t//EN', ...event, ...others, 'END:VCALENDAR', ''].join('\r\n');
}

const at = (dateTime: string, timeZone = BERLIN) => ({ dateTime, timeZone });
const instant = (time: string): RecurrenceId => ({ kind: 'instant', startMs: Date.parse(time) });
const cancel = (text: string, ...slots: readonly RecurrenceId[]) =>
  slots.reduce(
    (next, recurrenceId) => editResource(next, { kind: 'occurrence', recurrenceId }, { isCancelled: true }, CONTEXT),
    text,
  );
const edit = (text: string, patch: EventPatch, context: Partial<EditContext> = {}) =>
  editResource(text, EVENT, patch, { ...CONTEXT, ...context });

function cancelledIn(text: string): readonly (RecurrenceId | null)[] {
  const [group] = readCalendars(text, { calendarZone: BERLIN })[0]?.groups ?? [];
  return (group?.exceptions ?? []).filter(({ isCancelled }) => isCancelled).map(({ recurrenceId }) => recurrenceId);
}

function countOf(text: string, name: string): number {
  return text.split('\r\n').filter((line) => line.startsWith(name)).length;
}

test.each<readonly [name: string, patch: EventPatch, slot: RecurrenceId]>([
  [
    'another time of day',
    { start: at('2026-03-02T10:00:00+01:00'), end: at('2026-03-02T11:00:00+01:00') },
    instant('2026-03-04T10:00:00+01:00'),
  ],
  [
    'another zone',
    {
      start: at('2026-03-02T09:00:00-05:00', 'America/New_York'),
      end: at('2026-03-02T10:00:00-05:00', 'America/New_York'),
    },
    instant('2026-03-04T09:00:00-05:00'),
  ],
  [
    'whole days',
    { start: at('2026-03-02T00:00:00', ''), end: at('2026-03-03T00:00:00', ''), isAllDay: true },
    { kind: 'date', date: '2026-03-04' },
  ],
])('a cancelled occurrence moves with its series to %s', (_name, patch, slot) => {
  const text = cancel(series([...TIMED, 'RRULE:FREQ=DAILY;COUNT=5']), instant('2026-03-04T09:00:00+01:00'));
  const moved = edit(text, patch);
  expect(cancelledIn(moved)).toEqual([slot]);
  expect([countOf(moved, 'EXDATE'), countOf(moved, 'X-KALENDS-CANCELLED')]).toEqual([1, 1]);
  expect(edit(moved, patch)).toBe(moved);
});

test('a cancelled day of an all-day series moves to the day after, and to a time of day', () => {
  const days = ['DTSTART;VALUE=DATE:20260302', 'DTEND;VALUE=DATE:20260303', 'RRULE:FREQ=WEEKLY;COUNT=5'];
  const text = cancel(series(days), { kind: 'date', date: '2026-03-16' });
  const timed = { start: at('2026-03-02T09:00:00+01:00'), end: at('2026-03-02T10:00:00+01:00'), isAllDay: false };
  expect(cancelledIn(edit(text, timed))).toEqual([instant('2026-03-16T09:00:00+01:00')]);
  const daily = cancel(series(days.map((line) => line.replace('WEEKLY', 'DAILY'))), {
    kind: 'date',
    date: '2026-03-04',
  });
  const later = { start: at('2026-03-03T00:00:00', ''), end: at('2026-03-04T00:00:00', ''), isAllDay: true };
  // Its date is there still, as that of an exception would be.
  expect(cancelledIn(edit(daily, later))).toEqual([{ kind: 'date', date: '2026-03-04' }]);
});

test('cancelled occurrences that move together are written as if each had been cancelled where it is', () => {
  const days = ['04', '06', '05'];
  const at9 = days.map((day) => instant(`2026-03-${day}T09:00:00+01:00`));
  const at11 = days.map((day) => instant(`2026-03-${day}T11:00:00+01:00`));
  const text = series([...TIMED, 'RRULE:FREQ=DAILY;COUNT=10', 'X-LAST:kept']);
  const times = { start: at('2026-03-02T11:00:00+01:00'), end: at('2026-03-02T12:00:00+01:00') };
  const linesOf = (of: string) => of.split('\r\n').filter((line) => !line.startsWith('SEQUENCE'));
  const together = edit(cancel(text, ...at9), times);
  expect(cancelledIn(together)).toEqual(at11);
  expect(linesOf(together)).toEqual(linesOf(cancel(edit(text, times), ...at11)));
});

test('a cancelled occurrence behind a change of the clocks keeps its wall time', () => {
  const text = cancel(series([...TIMED, 'RRULE:FREQ=DAILY;COUNT=40']), instant('2026-03-31T09:00:00+02:00'));
  const moved = edit(text, { start: at('2026-03-02T02:30:00+01:00'), end: at('2026-03-02T03:00:00+01:00') });
  expect(cancelledIn(moved)).toEqual([instant('2026-03-31T02:30:00+02:00')]);
  // The clocks skip it on the 29th, where the occurrence takes place an hour later.
  const skipped = cancel(series([...TIMED, 'RRULE:FREQ=DAILY;COUNT=40']), instant('2026-03-29T09:00:00+02:00'));
  const onThatDay = edit(skipped, { start: at('2026-03-02T02:30:00+01:00'), end: at('2026-03-02T03:00:00+01:00') });
  expect(cancelledIn(onThatDay)).toEqual([instant('2026-03-29T03:30:00+02:00')]);
});

test('a cancelled occurrence of a floating series floats', () => {
  const floating = ['DTSTART:20260302T090000', 'DTEND:20260302T100000', 'RRULE:FREQ=DAILY;COUNT=5'];
  const text = cancel(series(floating), instant('2026-03-04T09:00:00+01:00'));
  expect(text).toContain('EXDATE:20260304T090000\r\n');
});

test('a cancelled occurrence that the new rule lacks goes, and takes out no other one later', () => {
  const text = cancel(series([...TIMED, 'RRULE:FREQ=DAILY;COUNT=10']), instant('2026-03-04T09:00:00+01:00'));
  const weekly = edit(text, {
    start: at('2026-03-02T10:00:00+01:00'),
    end: at('2026-03-02T11:00:00+01:00'),
    recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'],
  });
  expect([countOf(weekly, 'EXDATE'), countOf(weekly, 'X-KALENDS-CANCELLED')]).toEqual([0, 0]);
});

test('a cancelled occurrence and a modified one never share a slot', () => {
  const twice = series(
    [...TIMED, 'RRULE:FREQ=DAILY;BYHOUR=9,15;COUNT=10'],
    [
      ...['BEGIN:VEVENT', 'UID:one', 'DTSTAMP:20260101T000000Z', 'SUMMARY:Own'],
      'RECURRENCE-ID;TZID=Europe/Berlin:20260304T150000',
      ...['DTSTART;TZID=Europe/Berlin:20260304T160000', 'DTEND;TZID=Europe/Berlin:20260304T170000', 'END:VEVENT'],
    ],
  );
  const text = cancel(twice, instant('2026-03-04T09:00:00+01:00'));
  const times = { start: at('2026-03-02T11:00:00+01:00'), end: at('2026-03-02T12:00:00+01:00') };
  const moved = edit(text, { ...times, recurrence: ['RRULE:FREQ=DAILY;COUNT=10'] });
  expect(cancelledIn(moved)).toEqual([instant('2026-03-04T11:00:00+01:00')]);
  expect(countOf(moved, 'RECURRENCE-ID')).toBe(0);
});

test('a cancelled occurrence of a series that begins at a later slot stays with it', () => {
  const text = cancel(
    series([...TIMED, 'RRULE:FREQ=DAILY;COUNT=10']),
    instant('2026-03-03T09:00:00+01:00'),
    instant('2026-03-06T09:00:00+01:00'),
  );
  const moved = edit(
    text,
    {
      start: at('2026-03-04T11:00:00+01:00'),
      end: at('2026-03-04T12:00:00+01:00'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=8'],
    },
    { began: instant('2026-03-04T09:00:00+01:00') },
  );
  expect(cancelledIn(moved)).toEqual([instant('2026-03-06T11:00:00+01:00')]);
});

test('a mark of a slot that the series does not have does not come to take out another one', () => {
  const marked = ['EXDATE;TZID=Europe/Berlin:20260304T110000', 'X-KALENDS-CANCELLED:20260304T100000Z'];
  const text = series([...TIMED, 'RRULE:FREQ=DAILY;COUNT=5', ...marked]);
  const moved = edit(text, { start: at('2026-03-02T11:00:00+01:00'), end: at('2026-03-02T12:00:00+01:00') });
  expect(cancelledIn(moved)).toEqual([]);
});

test('cancelled occurrences from a slot on go along into the series that continues it', () => {
  const text = cancel(
    series([...TIMED, 'RRULE:FREQ=DAILY;COUNT=10']),
    ...['03', '05', '07'].map((day) => instant(`2026-03-${day}T09:00:00+01:00`)),
  );
  const input: NewEvent = {
    title: 'Title',
    start: at('2026-03-05T11:00:00+01:00'),
    end: at('2026-03-05T12:00:00+01:00'),
    recurrence: ['RRULE:FREQ=DAILY;COUNT=7'],
  };
  const from = instant('2026-03-05T09:00:00+01:00');
  const next = continueResource(text, from, input, { ...CONTEXT, newUid: 'two' });
  const taken = ['05', '07'].map((day) => instant(`2026-03-${day}T11:00:00+01:00`));
  expect(cancelledIn(next)).toEqual(taken);
  const back = continueResource(text, from, { ...input, isCancelled: false }, { ...CONTEXT, newUid: 'two' });
  expect(cancelledIn(back)).toEqual(taken.slice(1));
  const alone = continueResource(text, from, { ...input, recurrence: null }, { ...CONTEXT, newUid: 'two' });
  expect(cancelledIn(alone)).toEqual([]);
});

test('a first occurrence that a component of its own cancels goes along too, unless it is to take place', () => {
  const gone = [
    ...['BEGIN:VEVENT', 'UID:one', 'DTSTAMP:20260101T000000Z', 'STATUS:CANCELLED'],
    ...['RECURRENCE-ID;TZID=Europe/Berlin:20260305T090000', 'DTSTART;TZID=Europe/Berlin:20260305T090000', 'END:VEVENT'],
  ];
  const text = series([...TIMED, 'RRULE:FREQ=DAILY;COUNT=10'], gone);
  const input: NewEvent = {
    start: at('2026-03-05T11:00:00+01:00'),
    end: at('2026-03-05T12:00:00+01:00'),
    recurrence: ['RRULE:FREQ=DAILY;COUNT=7'],
  };
  const cancelledOf = (given: NewEvent) =>
    cancelledIn(continueResource(text, instant('2026-03-05T09:00:00+01:00'), given, { ...CONTEXT, newUid: 'two' }));
  expect(cancelledOf(input)).toEqual([instant('2026-03-05T11:00:00+01:00')]);
  expect(cancelledOf({ ...input, isCancelled: false })).toEqual([]);
});
