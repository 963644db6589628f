import { manualClock } from '@kalends/conformance';
import { expect, it } from 'vitest';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import type { Json } from '../interface/world.ts';

const event = (...lines: readonly string[]): string =>
  ['BEGIN:VEVENT', 'UID:u', 'DTSTAMP:20270101T000000Z', ...lines, 'END:VEVENT', ''].join('\r\n');
const object = (...events: readonly string[]): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t//EN\r\n${events.join('')}END:VCALENDAR\r\n`;

const at = (day: string) => [`DTSTART:202703${day}T090000Z`, `DTEND:202703${day}T100000Z`];
const SINGLE = object(event('SUMMARY:single', ...at('01')));
const SERIES = object(
  event('SUMMARY:series', ...at('01'), 'RRULE:FREQ=DAILY;COUNT=3'),
  event('SUMMARY:other', 'RECURRENCE-ID:20270302T090000Z', ...at('02')),
);
const orphan = (day: string) => event(`SUMMARY:orphan ${day}`, `RECURRENCE-ID:202703${day}T090000Z`, ...at(day));
const ORPHANS = object(orphan('02'), orphan('03'));
const ORPHAN = object(orphan('03'));

const SHAPES: readonly (readonly [string, string, readonly string[]])[] = [
  ['single', SINGLE, ['single']],
  ['series', SERIES, ['other', 'series', 'series']],
  ['orphans', ORPHANS, ['orphan 02', 'orphan 03']],
  ['orphan', ORPHAN, ['orphan 03']],
];

it.each(SHAPES)('shows an object as it is, whatever it was: from %s on', async (_name, first, shownFirst) => {
  const clock = manualClock(Date.UTC(2027, 0, 1));
  const sync = { freshWithoutPushMs: 0.001 };
  const world = await createDavWorld({ clock, sync }, (_request, pass) => pass());
  try {
    const mailbox = await fillDavMailbox(world, 0, []);
    const path = `/v1/events/${mailbox.accountId}/${mailbox.calendarId}`;
    const titles = async () => {
      await clock.advance(1);
      const window = 'startDateTime=2027-01-01T00:00:00Z&endDateTime=2027-12-31T00:00:00Z';
      const { body } = await world.call('GET', `${path}?limit=200&expandRecurrences=true&${window}`);
      return body.data.map(({ title }: Json) => title).sort();
    };
    const folder = Buffer.from(mailbox.calendarId, 'base64url').toString();
    for (const [name, next, shown] of SHAPES) {
      for (const [text, expected] of [
        [first, shownFirst],
        [next, shown],
      ] as const) {
        await mailbox.put(`${folder}a.ics`, text);
        expect(await titles(), name).toEqual(expected);
      }
    }
  } finally {
    await world.close();
  }
});
