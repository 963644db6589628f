import { readCalendars } from 'kalends/icalendar';
import { expect, it } from 'vitest';

const event = (summary: string) =>
  `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:u\r\nDTSTART:20260302T090000Z \r\nSUMMARY:${summary}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

const titleOf = (text: string) => readCalendars(text)[0]?.groups[0]?.master?.content?.title;

it('keeps white space around a text, and none around other values', () => {
  expect(titleOf(event(' Music School '))).toBe(' Music School ');
  expect(readCalendars(event('x'))[0]?.groups[0]?.unreadable).toEqual([]);
});

it.each([
  ['spaces', '   '],
  ['a byte order mark', '\uFEFF'],
  ['empty lines', '\r\n\n \t\r\n'],
])('reads a text that begins with %s', (_name, beginning) => {
  expect(titleOf(`${beginning}${event('Kept')}`)).toBe('Kept');
});
