import { continueResource, readCalendars } from 'kalends/icalendar';
import type { NewEvent, RecurrenceId } from 'kalends/ports';
import { expect, test } from 'vitest';

const BERLIN = 'Europe/Berlin';
const CONTEXT = {
  now: Date.UTC(2026, 5, 1),
  calendarZone: BERLIN,
  email: 'me@example.com',
  keepsAnswers: true,
  newUid: 'new',
};

const GUEST = 'ATTENDEE;CN=Ann;SCHEDULE-AGENT=CLIENT;PARTSTAT=ACCEPTED:mailto:ann@example.com';
const FOREIGN = ['ATTACH:https://example.com/a', 'X-VENDOR;X-P="a,b":1', 'no property at all', GUEST];
const OF_NO_OTHER = ['X-KALENDS-PRIVATE:old=1', 'X-KALENDS-CANCELLED:20260303T080000Z', 'CREATED:20250101T000000Z'];

function alarm(...lines: readonly string[]): readonly string[] {
  return ['BEGIN:VALARM', 'ACTION:DISPLAY', ...lines, 'X-ALARM:kept', 'END:VALARM'];
}

function component(...lines: readonly string[]): readonly string[] {
  return ['BEGIN:VEVENT', 'UID:old', 'DTSTAMP:20260101T000000Z', 'SEQUENCE:7', 'SUMMARY:Title', ...lines, 'END:VEVENT'];
}

function exception(day: string): readonly string[] {
  const at = (name: string) => `${name};TZID=Own Zone:202603${day}T090000`;
  return component(at('RECURRENCE-ID'), at('DTSTART'), 'DURATION:PT1H', `X-DAY:${day}`, 'LOCATION:Other');
}

const TEXT = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//another//program//EN',
  'METHOD:REQUEST',
  'BEGIN:VTIMEZONE',
  'TZID:Own Zone',
  'X-LIC-LOCATION:Europe/Berlin',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0100',
  'END:STANDARD',
  'END:VTIMEZONE',
  ...component(
    'DTSTART;TZID=Own Zone:20260302T090000',
    'DURATION:PT1H',
    'RRULE:FREQ=DAILY',
    'EXDATE;TZID=Own Zone:20260303T090000',
    'ORGANIZER:mailto:me@example.com',
    ...FOREIGN,
    ...OF_NO_OTHER,
    ...alarm('TRIGGER;RELATED=END:PT5M'),
    ...alarm('TRIGGER;VALUE=DATE-TIME:20260302T070000Z'),
  ),
  ...exception('04'),
  ...exception('07'),
  'END:VCALENDAR',
  '',
].join('\r\n');

const FROM: RecurrenceId = { kind: 'instant', startMs: Date.parse('2026-03-06T09:00:00+01:00') };
const INPUT: NewEvent = {
  title: 'Title',
  start: { dateTime: '2026-03-06T11:00:00+01:00', timeZone: BERLIN },
  end: { dateTime: '2026-03-06T12:00:00+01:00', timeZone: BERLIN },
  isAllDay: false,
  recurrence: ['RRULE:FREQ=DAILY'],
  attendees: [{ email: 'ann@example.com', name: 'Ann', responseStatus: 'accepted', kind: 'required' }],
  privateExtendedProperties: { new: '2' },
};

function linesOf(text: string): string[] {
  return text.replaceAll(/\r\n[ \t]/g, '').split('\r\n');
}

test('the series that continues another is its copy under a UID of its own', () => {
  const text = continueResource(TEXT, FROM, INPUT, CONTEXT);
  const lines = linesOf(text);
  expect(lines).toEqual(expect.arrayContaining([...FOREIGN, 'X-ALARM:kept', 'X-KALENDS-PRIVATE:new=2']));
  expect(lines).toEqual(expect.arrayContaining(['DTSTART;TZID=Own Zone:20260306T110000', 'SEQUENCE:0']));
  for (const line of [...OF_NO_OTHER, 'UID:old', 'METHOD:REQUEST', 'SEQUENCE:7']) expect(lines).not.toContain(line);
  expect(text).not.toMatch(/EXDATE|20260302T070000Z/);
  expect(lines.filter((line) => line === 'X-ALARM:kept')).toHaveLength(1);
});

test('exceptions from the slot on come along, those before it stay', () => {
  const text = continueResource(TEXT, FROM, { ...INPUT, title: 'New' }, CONTEXT);
  const [group] = readCalendars(text)[0]?.groups ?? [];
  expect(group?.uid).toBe('new');
  expect(group?.exceptions).toMatchObject([
    {
      recurrenceId: { kind: 'instant', startMs: Date.parse('2026-03-07T11:00:00+01:00') },
      content: { title: 'New', location: 'Other', start: { dateTime: '2026-03-07T11:00:00+01:00' } },
    },
  ]);
  expect(linesOf(text)).toContain('X-DAY:07');
  // A new start may lie before the slot: what came before it is the old series' all the same.
  const early = { start: INPUT.start, end: INPUT.end, recurrence: ['RRULE:FREQ=DAILY'] };
  const at = (time: string) => ({ dateTime: `2026-03-03T${time}:00+01:00`, timeZone: BERLIN });
  expect(continueResource(TEXT, FROM, { ...early, start: at('09:00'), end: at('10:00') }, CONTEXT)).not.toContain(
    'X-DAY:04',
  );
});

test('an event that does not recur has no exceptions', () => {
  const text = continueResource(TEXT, FROM, { ...INPUT, recurrence: null }, CONTEXT);
  expect(readCalendars(text)[0]?.groups).toMatchObject([{ master: { content: { recurrence: null } }, exceptions: [] }]);
});

test('a text that is cut off, or has no series, is refused', () => {
  expect(() => continueResource(TEXT.slice(0, -20), FROM, INPUT, CONTEXT)).toThrow('the text is cut off');
  const alone = TEXT.replace(/BEGIN:VEVENT\r\n[\s\S]*?END:VEVENT\r\n/, '');
  expect(() => continueResource(alone, FROM, INPUT, CONTEXT)).toThrow('without the series');
});
