import { afterAll, beforeAll, expect, it } from 'vitest';
import { body, type Connected } from '../steps.ts';
import { createImportWorld, type ImportWorld } from './import-world.ts';

let world: ImportWorld;
beforeAll(async () => {
  world = await createImportWorld();
});
afterAll(() => world.close());

const ZONE = 'TZID=Europe/London';
const span = (day: string, hour: number) => [
  `DTSTART;${ZONE}:202603${day}T${hour}0000`,
  `DTEND;${ZONE}:202603${day}T${hour + 1}0000`,
];

let people = 0;

/** Connects a person of a CalDAV server with one event or series there: its components. */
async function personWith(...components: readonly (readonly string[])[]): Promise<Connected> {
  people += 1;
  const person = await world.connectTo('caldav', `one${people}@dav.example`);
  const { email } = person;
  const password = world.sandbox.caldav.addAppPassword({ email });
  const text = components.flatMap((lines) => ['BEGIN:VEVENT', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT']);
  const answer = await world.sandbox.fetch(
    new Request(`http://sandbox.test/caldav/calendars/${email}/personal/one.ics`, {
      method: 'PUT',
      body: ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', ...text, 'END:VCALENDAR', ''].join('\r\n'),
      headers: { 'content-type': 'text/calendar', authorization: `Basic ${btoa(`${email}:${password}`)}` },
    }),
  );
  expect(answer.status).toBe(201);
  return person;
}

/** Returns the lines of the events that a feed has, of these names. */
async function feedLines(people: readonly Connected[], detail: string, names: RegExp): Promise<readonly string[]> {
  const calendars = people.map(({ accountId, calendarId }) => ({ endUserAccountId: accountId, calendarId }));
  const { url } = body(await world.call('POST', '/v1/feeds', { body: { name: 'Team', detail, calendars } }), 201);
  const { body: text } = await world.call('GET', url.replace(/^.*\/api/, ''), { key: null });
  const events: string = text.slice(text.indexOf('BEGIN:VEVENT'));
  return events
    .replaceAll('\r\n ', '')
    .split('\r\n')
    .filter((line) => names.test(line));
}

it.each(['full', 'busy'])('a %s feed shows what still takes place of a cancelled series', async (detail) => {
  const person = await personWith(
    ['UID:off', 'SUMMARY:Off', 'STATUS:CANCELLED', ...span('03', 13), 'RRULE:FREQ=DAILY;COUNT=4'],
    ['UID:off', `RECURRENCE-ID;${ZONE}:20260304T130000`, 'SUMMARY:Still on', ...span('04', 15)],
    ['UID:off', `RECURRENCE-ID;${ZONE}:20260305T130000`, 'STATUS:CANCELLED', ...span('05', 13)],
  );
  expect(await feedLines([person], detail, /^(SUMMARY|DTSTART;TZID|RRULE|STATUS)/)).toEqual([
    `DTSTART;${ZONE}:20260304T150000`,
    `SUMMARY:${detail === 'full' ? 'Still on' : 'Busy'}`,
  ]);
});

it('a full feed shows a meeting that the owner declined as free', async () => {
  const invitation = ['ORGANIZER:mailto:x@y.example', `ATTENDEE;PARTSTAT=DECLINED:mailto:one${people + 1}@dav.example`];
  const person = await personWith(['UID:dec', 'SUMMARY:Declined', ...invitation, ...span('03', 15)]);
  expect(await feedLines([person], 'full', /^(SUMMARY|TRANSP)/)).toEqual(['SUMMARY:Declined', 'TRANSP:TRANSPARENT']);
});

it.each([
  ['full', 'PUBLIC'],
  ['full', 'PRIVATE'],
  ['busy', 'PUBLIC'],
] as const)('a %s feed shows an occurrence that its guest has alone once (%s)', async (detail, visibility) => {
  const occurrence = ['UID:meet', `RECURRENCE-ID;${ZONE}:20260305T100000`, 'SUMMARY:Meeting', ...span('05', 10)];
  const guest = await personWith([...occurrence, `CLASS:${visibility}`]);
  const organizer = await personWith(
    ['UID:meet', 'SUMMARY:Meeting', ...span('03', 10), 'RRULE:FREQ=DAILY;COUNT=4'],
    occurrence,
  );
  const shown = (people: readonly Connected[]) => feedLines(people, detail, /^(DTSTART;TZID|RRULE:FREQ=D|EXDATE)/);
  expect(await shown([guest, organizer])).toEqual([
    `DTSTART;${ZONE}:20260305T100000`,
    `DTSTART;${ZONE}:20260303T100000`,
    'RRULE:FREQ=DAILY;COUNT=4',
    `EXDATE;${ZONE}:20260305T100000`,
  ]);
  expect(await shown([organizer, guest])).toEqual([
    `DTSTART;${ZONE}:20260303T100000`,
    'RRULE:FREQ=DAILY;COUNT=4',
    `DTSTART;${ZONE}:20260305T100000`,
  ]);
});

it('a full feed does not tell the UID of an event that is private', async () => {
  const hidden = await personWith(['UID:layoffs-2026@corp', 'SUMMARY:Layoffs', 'CLASS:PRIVATE', ...span('03', 12)]);
  expect(await feedLines([hidden], 'full', /^(UID|SUMMARY)/)).toEqual([
    expect.stringMatching(/^UID:[0-9a-f]{32}@busy$/),
    'SUMMARY:Busy',
  ]);
  const partly = await personWith(
    ['UID:party@corp', 'SUMMARY:Surprise', 'CLASS:PRIVATE', ...span('03', 12), 'RRULE:FREQ=DAILY;COUNT=4'],
    ['UID:party@corp', `RECURRENCE-ID;${ZONE}:20260304T120000`, 'SUMMARY:Lunch', ...span('04', 12)],
  );
  expect(await feedLines([partly], 'full', /^(UID|SUMMARY)/)).toEqual([
    ...['UID:party@corp', 'SUMMARY:Busy'],
    ...['UID:party@corp', 'SUMMARY:Lunch'],
  ]);
});
