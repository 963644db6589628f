import { printEvents, readCalendars } from 'kalends/icalendar';
import { expect, test } from 'vitest';

const event = (...lines: readonly string[]) => [
  'BEGIN:VEVENT',
  'UID:u',
  'DTSTAMP:20260101T000000Z',
  ...lines,
  'END:VEVENT',
];
const calendar = (...events: readonly (readonly string[])[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...events.flat(), 'END:VCALENDAR', ''].join('\r\n');
const groupsOf = (text: string) => readCalendars(text)[0]?.groups ?? [];
const slot = (day: number) => `RECURRENCE-ID:2026030${day}T090000Z`;

test('reading a print gives the sequences of a series and its exceptions back', () => {
  const series = event('SEQUENCE:5', 'DTSTART:20260302T090000Z', 'RRULE:FREQ=DAILY;COUNT=5');
  const moved = event(slot(3), 'SEQUENCE:7', 'DTSTART:20260303T110000Z');
  const read = groupsOf(calendar(series, moved, event(slot(4), 'DTSTART:20260304T110000Z')));
  const printed = printEvents(read, { timeZone: 'UTC' });
  const sequences = groupsOf(printed).flatMap(({ master, exceptions }) => [
    master?.sequence,
    ...exceptions.map(({ sequence }) => sequence),
  ]);
  expect(sequences).toEqual([5, 7, 0]);
  expect(printed.match(/^SEQUENCE/gm)).toHaveLength(2);
});

test('a cancelled occurrence without its series keeps its sequence too', () => {
  const read = groupsOf(calendar(event(slot(4), 'SEQUENCE:3', 'DTSTART:20260304T090000Z', 'STATUS:CANCELLED')));
  expect(groupsOf(printEvents(read, { timeZone: 'UTC' }))[0]?.exceptions).toMatchObject([
    { sequence: 3, isCancelled: true },
  ]);
});
