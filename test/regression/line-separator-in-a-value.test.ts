import { readCalendars, streamComponents } from 'kalends/icalendar';
import { expect, it } from 'vitest';

const TEXT = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//kalends//test//EN',
  'BEGIN:VEVENT',
  'UID:one@example.com',
  'DTSTAMP:20260301T090000Z',
  'DTSTART:20260302T090000Z',
  'SUMMARY:above\u2028below',
  'ATTENDEE;CN="Ada\u2028Lovelace":mailto:ada@example.com',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

// People paste U+2028 out of word processors, and servers keep it. It was taken for the end of a line: the rest of the title was
// left out, and the attendee with it.
it('a line separator within a value does not end the line', () => {
  const [calendar] = readCalendars(TEXT);
  expect(calendar?.problems).toEqual([]);
  const content = calendar?.groups[0]?.master?.content;
  expect(content?.title).toBe('above\u2028below');
  expect(content?.attendees).toMatchObject([{ email: 'ada@example.com', name: 'Ada\u2028Lovelace' }]);
});

it('nor in a file that is read part by part', async () => {
  async function* parts() {
    yield* Array.from(new TextEncoder().encode(TEXT), (byte) => Uint8Array.of(byte));
  }
  const lines: string[] = [];
  const passedOver: string[] = [];
  for await (const { component } of streamComponents(parts(), (_line, rule) => passedOver.push(rule))) {
    lines.push(...component.properties.map(({ line }) => line));
  }
  expect(passedOver).toEqual([]);
  expect(lines).toContain('SUMMARY:above\u2028below');
});
