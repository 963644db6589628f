import { expect, inject, it } from 'vitest';
import { expandElsewhere } from './raw/expand.ts';
import { makeCalendar } from './raw/raw-calendar.ts';

const SERIES = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//kalends//tests//EN',
  'BEGIN:VEVENT',
  'UID:series',
  'DTSTAMP:20260101T000000Z',
  'DTSTART:20260302T090000Z',
  'DTEND:20260302T100000Z',
  'SUMMARY:Daily',
  'RRULE:FREQ=DAILY;COUNT=3',
  'EXDATE:20260303T090000Z',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

it.each(inject('calendarServers'))('$name keeps a series, read without any code of ours', async (server) => {
  const calendar = await makeCalendar(server, server.alice, 'raw');
  await calendar.put('series.ics', SERIES);
  const texts = (await calendar.objects()).map(({ text }) => text);
  const window = { from: '20260301T000000Z', to: '20260401T000000Z', timeZone: 'UTC' };
  expect((await expandElsewhere({ texts, ...window })).map(({ title, start }) => [title, start])).toEqual([
    ['Daily', '2026-03-02T09:00:00Z'],
    ['Daily', '2026-03-04T09:00:00Z'],
  ]);
});
