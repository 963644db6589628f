import { type EditContext, editResource, readCalendars } from 'kalends/icalendar';
import type { RecurrenceId } from 'kalends/ports';
import { expect, test } from 'vitest';

const BERLIN = 'Europe/Berlin';
const CONTEXT: EditContext = { now: Date.UTC(2026, 5, 1), calendarZone: BERLIN, email: 'me@example.com' };

/** Lines of an occurrence that the interface does not have. */
const OWN = [
  'ATTACH:https://example.com/agenda',
  'X-VENDOR-ROOM;X-FLOOR=2:a\\,b',
  'ATTENDEE;CN=Ann;SCHEDULE-AGENT=CLIENT;PARTSTAT=ACCEPTED:mailto:ann@example.com',
];
const ALARM = ['BEGIN:VALARM', 'ACTION:AUDIO', 'TRIGGER;RELATED=END:PT5M', 'ATTACH:bell.wav', 'END:VALARM'];

function seriesWith(exceptions: readonly string[], rule = 'RRULE:FREQ=DAILY'): string {
  const people = ['ORGANIZER:mailto:me@example.com', 'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:bob@example.com'];
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//another//program//EN',
    ...component(['DTSTART;TZID=Europe/Berlin:20260302T090000', 'DURATION:PT1H', rule, ...people]),
    ...exceptions,
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}

function component(lines: readonly string[]): readonly string[] {
  return ['BEGIN:VEVENT', 'UID:one', 'DTSTAMP:20260101T000000Z', 'SUMMARY:Title', ...lines, 'END:VEVENT'];
}

/** An exception of the slot at 09:00 of a day of March, which takes place at other times if they are given. */
function exception(day: string, [start, end]: readonly [string, string] = ['0900', '1000']): readonly string[] {
  const at = (name: string, time: string) => `${name};TZID=Europe/Berlin:202603${day}T${time}00`;
  return component([at('RECURRENCE-ID', '0900'), at('DTSTART', start), at('DTEND', end), ...OWN, ...ALARM]);
}

function linesOf(text: string): string[] {
  return text.replaceAll(/\r\n[ \t]/g, '').split('\r\n');
}

function groupOf(text: string) {
  const [group] = readCalendars(text, { calendarZone: BERLIN })[0]?.groups ?? [];
  if (group === undefined) throw new Error('no group');
  return group;
}

const at = (time: string) => ({ dateTime: `2026-03-${time}:00+01:00`, timeZone: BERLIN });
const slot = (time: string): RecurrenceId => ({ kind: 'instant', startMs: Date.parse(at(time).dateTime) });

function timesIn(text: string) {
  return groupOf(text).exceptions.map(({ recurrenceId, content }) => [
    recurrenceId,
    content?.start.dateTime,
    content?.end.dateTime,
  ]);
}

test('an exception moves with its series, and keeps every line of its own', () => {
  const text = seriesWith([...exception('04'), ...exception('05', ['1500', '1700'])]);
  const moved = editResource(text, { kind: 'event' }, { start: at('02T11:00'), end: at('02T11:30') }, CONTEXT);
  expect(timesIn(moved)).toEqual([
    [slot('04T11:00'), at('04T11:00').dateTime, at('04T11:30').dateTime],
    [slot('05T11:00'), at('05T15:00').dateTime, at('05T17:00').dateTime],
  ]);
  for (const line of [...OWN, ...ALARM]) {
    const count = (lines: readonly string[]) => lines.filter((one) => one === line).length;
    expect(count(linesOf(moved)), line).toBe(count(linesOf(text)));
  }
  const later = { ...CONTEXT, now: CONTEXT.now + 60_000 };
  expect(editResource(moved, { kind: 'event' }, { start: at('02T11:00'), end: at('02T11:30') }, later)).toBe(moved);
});

test('an exception stays with its date where the series gets whole days, or a time of day again', () => {
  const text = seriesWith(exception('04'));
  const day = (date: string) => ({ dateTime: `2026-03-${date}T00:00:00`, timeZone: '' });
  const days = editResource(text, { kind: 'event' }, { start: day('02'), end: day('03'), isAllDay: true }, CONTEXT);
  expect(timesIn(days)).toEqual([[{ kind: 'date', date: '2026-03-04' }, '2026-03-04T00:00:00', '2026-03-05T00:00:00']]);
  expect(linesOf(days)).toEqual(expect.arrayContaining([...OWN, 'RECURRENCE-ID;VALUE=DATE:20260304']));
  const timed = { start: at('02T08:00'), end: at('02T09:00'), isAllDay: false };
  const back = editResource(days, { kind: 'event' }, timed, CONTEXT);
  expect(timesIn(back)).toEqual([[slot('04T08:00'), at('04T08:00').dateTime, at('04T09:00').dateTime]]);
  expect(linesOf(back)).toEqual(expect.arrayContaining(OWN));
});

test('an exception whose date the moved series does not have goes', () => {
  const text = seriesWith([...exception('09'), ...exception('16')], 'RRULE:FREQ=WEEKLY');
  const moved = editResource(text, { kind: 'event' }, { start: at('16T09:00'), end: at('16T10:00') }, CONTEXT);
  expect(timesIn(moved).map(([recurrenceId]) => recurrenceId)).toEqual([slot('16T09:00')]);
});

test('an exception never takes the place of one that the end of a series leaves', () => {
  const twice = 'RRULE:FREQ=DAILY;BYHOUR=9,15';
  const own = exception('04').map((line) =>
    line.replace('RECURRENCE-ID;TZID=Europe/Berlin:20260304T09', 'RECURRENCE-ID;TZID=Europe/Berlin:20260304T15'),
  );
  const recurrence = ['RRULE:FREQ=DAILY;BYHOUR=9,15;UNTIL=20260304T090000Z'];
  expect(timesIn(editResource(seriesWith(own, twice), { kind: 'event' }, { recurrence }, CONTEXT))).toEqual([]);
});

test('an exception at the times of its slot lasts as long as its series does', () => {
  const text = seriesWith([...exception('04'), ...exception('05', ['0900', '1200'])]);
  const longer = editResource(text, { kind: 'event' }, { start: at('02T09:00'), end: at('02T11:00') }, CONTEXT);
  expect(timesIn(longer)).toEqual([
    [slot('04T09:00'), at('04T09:00').dateTime, at('04T11:00').dateTime],
    [slot('05T09:00'), at('05T09:00').dateTime, at('05T12:00').dateTime],
  ]);
});
