import { readCalendars } from 'kalends/icalendar';
import { expect, test } from 'vitest';

const SEVERAL = 'UID: is that of several events; one was taken';

const event = (...lines: readonly string[]): string =>
  ['BEGIN:VEVENT', 'UID:u', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT'].join('\r\n');

function masterOf(...events: readonly string[]) {
  const text = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events.join('\r\n')}\r\nEND:VCALENDAR\r\n`;
  const [group, ...others] = readCalendars(text)[0]?.groups ?? [];
  expect(others).toEqual([]);
  return [group?.master?.content?.title, group?.master?.unreadableParts];
}

const MONDAY = ['SUMMARY:Monday', 'DTSTART:20260302T090000Z'];
const TUESDAY = ['SUMMARY:Tuesday', 'DTSTART:20260303T090000Z'];

test('of several events of one UID at different times one is taken, and says that there are more', () => {
  expect(masterOf(event(...MONDAY), event(...TUESDAY))).toEqual(['Tuesday', [SEVERAL]]);
  const inZone = ['SUMMARY:Zone', 'DTSTART;TZID=Europe/Berlin:20260302T090000'];
  const floating = ['SUMMARY:Floating', 'DTSTART:20260302T090000'];
  expect(masterOf(event(...inZone), event(...floating))).toEqual(['Floating', [SEVERAL]]);
  expect(masterOf(event(...MONDAY), event(...TUESDAY), event(...TUESDAY), event(...MONDAY))).toEqual([
    ...['Monday', [SEVERAL]],
  ]);
});

test('versions of one event are none', () => {
  expect(masterOf(event(...MONDAY), event(...MONDAY))).toEqual(['Monday', []]);
  expect(masterOf(event(...MONDAY, 'SEQUENCE:0'), event(...TUESDAY, 'SEQUENCE:1'))).toEqual(['Tuesday', []]);
  const later = event(...TUESDAY).replace('DTSTAMP:2026', 'DTSTAMP:2027');
  expect(masterOf(later, event(...MONDAY))).toEqual(['Tuesday', []]);
  const retitled = ['SUMMARY:Other title', 'DTSTART:20260302T090000Z'];
  expect(masterOf(event(...MONDAY), event(...retitled))).toEqual(['Other title', []]);
  const renamed = event(...MONDAY).replace('DTSTART:', 'DTSTART;X-VENDOR=1;VALUE=DATE-TIME:');
  expect(masterOf(event(...MONDAY), renamed)).toEqual(['Monday', []]);
});

test.each([
  ['a zone', 'DTSTART;TZID=Europe/Berlin:20260302T100000'],
  ['a Windows zone', 'DTSTART;TZID=W. Europe Standard Time:20260302T100000'],
  ['a zone in another case', 'DTSTART;TZID=EUROPE/berlin:20260302T100000'],
  ['the zone UTC', 'DTSTART;TZID=UTC:20260302T090000'],
  ['lower case', 'DTSTART:20260302t090000z'],
])('the same instant is none, spelled with %s', (_name, spelled) => {
  expect(masterOf(event(...MONDAY), event('SUMMARY:Spelled', spelled))).toEqual(['Spelled', []]);
  expect(masterOf(event('SUMMARY:Spelled', spelled), event(...MONDAY))).toEqual(['Monday', []]);
});

test('a date is the same day alone, and a start that cannot be read is the same as it is spelled', () => {
  const date = ['SUMMARY:Date', 'DTSTART;VALUE=DATE:20260302'];
  const midnight = ['SUMMARY:Midnight', 'DTSTART:20260302T000000Z'];
  expect(masterOf(event(...midnight), event(...date))).toEqual(['Date', [SEVERAL]]);
  const exchange = [...midnight, 'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE'];
  expect(masterOf(event(...exchange), event(...date))).toEqual(['Date', []]);
  const broken = ['SUMMARY:Broken', 'DTSTART:soon'];
  expect(masterOf(event(...broken), event(...MONDAY))).toEqual(['Monday', [SEVERAL]]);
  expect(masterOf(event(...broken), event(...broken))).toEqual([undefined, undefined]);
});

test('a series and its exceptions are none', () => {
  const series = [...MONDAY, 'RRULE:FREQ=DAILY;COUNT=3'];
  const exception = ['SUMMARY:Own', 'RECURRENCE-ID:20260303T090000Z', 'DTSTART:20260303T110000Z'];
  expect(masterOf(event(...series), event(...exception))).toEqual(['Monday', []]);
});
