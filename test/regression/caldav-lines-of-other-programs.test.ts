import { manualClock } from '@kalends/conformance';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDavWorld, type DavMailbox, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import type { Json, World } from '../interface/world.ts';

const OF_SERIES = ['ATTACH:https://example.com/minutes', 'X-VENDOR-BOARD;X-SIDE=left:weekly'];
const OF_OCCURRENCE = ['ATTACH:https://example.com/guest', 'X-VENDOR-ROOM;X-FLOOR=2:a\\,b'];
const ALARM = ['BEGIN:VALARM', 'ACTION:AUDIO', 'TRIGGER;RELATED=END:PT5M', 'ATTACH:bell.wav', 'END:VALARM'];

const event = (...lines: readonly string[]): readonly string[] => [
  'BEGIN:VEVENT',
  'UID:board',
  'DTSTAMP:20270101T000000Z',
  'SUMMARY:Board',
  ...lines,
  ...ALARM,
  'END:VEVENT',
];
/** A series with an exception on the 4th and one on the 9th of March. */
const SERIES = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//another//program//EN',
  ...event('DTSTART:20270301T090000Z', 'DTEND:20270301T100000Z', 'RRULE:FREQ=DAILY;COUNT=12', ...OF_SERIES),
  ...['04', '09'].flatMap((day) =>
    event(
      `RECURRENCE-ID:202703${day}T090000Z`,
      `DTSTART:202703${day}T090000Z`,
      `DTEND:202703${day}T100000Z`,
      'LOCATION:Elsewhere',
      ...OF_OCCURRENCE,
    ),
  ),
  'END:VCALENDAR',
  '',
].join('\r\n');

let world: World;
let mailbox: DavMailbox;
let path: string;
beforeEach(async () => {
  const clock = manualClock(Date.UTC(2027, 0, 1));
  world = await createDavWorld({ clock, sync: { freshWithoutPushMs: 0.001 } }, (_request, pass) => pass());
  mailbox = await fillDavMailbox(world, 0, []);
  path = `/v1/events/${mailbox.accountId}/${mailbox.calendarId}`;
  await mailbox.put(`${Buffer.from(mailbox.calendarId, 'base64url').toString()}board.ics`, SERIES);
  await clock.advance(1);
});
afterEach(() => world.close());

async function occurrences(): Promise<readonly Json[]> {
  const window = 'startDateTime=2027-03-01T00:00:00Z&endDateTime=2027-04-01T00:00:00Z';
  const { body } = await world.call('GET', `${path}?limit=200&expandRecurrences=true&${window}`);
  return body.data.filter(({ recurringEventId }: Json) => recurringEventId !== null);
}

async function move(day: string, scope: string): Promise<void> {
  const found = (await occurrences()).find(({ start }) => start.dateTime.startsWith(`2027-03-${day}`));
  const at = (time: string) => ({ dateTime: `2027-03-${day}T${time}:00Z`, timeZone: 'UTC' });
  const answer = await world.call('PUT', `${path}/${found?.id}?scope=${scope}`, {
    body: { start: at('11:00'), end: at('12:00') },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

/** Components of the events in the calendar, each as its lines, by the day of its slot; that of a series by its rule. */
function components(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const text of mailbox.texts().values()) {
    const lines = text.replaceAll(/\r\n[ \t]/g, '').split('\r\n');
    for (const [at, line] of lines.entries()) {
      if (line !== 'BEGIN:VEVENT') continue;
      const own = lines.slice(at, lines.indexOf('END:VEVENT', at));
      found.set(own.find((one) => /^(?:RECURRENCE-ID|RRULE)/.test(one)) ?? '', own);
    }
  }
  return found;
}

function find(part: string): readonly string[] {
  const [, lines] = [...components()].find(([key]) => key.includes(part)) ?? [];
  if (lines === undefined) throw new Error(`no component ${part} in ${[...components().keys()].join(', ')}`);
  return lines;
}

it('keeps what other programs said of an occurrence when its series gets new times', async () => {
  await move('02', 'all');
  expect(find('RRULE')).toEqual(expect.arrayContaining([...OF_SERIES, ...ALARM]));
  for (const day of ['04', '09']) {
    const lines = find(`202703${day}T110000`);
    expect(lines).toEqual(expect.arrayContaining(['LOCATION:Elsewhere', ...OF_OCCURRENCE, ...ALARM]));
  }
});

it('keeps what other programs said when a series goes on in a new one from an occurrence on', async () => {
  await move('06', 'following');
  expect([...mailbox.texts()]).toHaveLength(2);
  expect(find('COUNT=7')).toEqual(expect.arrayContaining([...OF_SERIES, ...ALARM, 'DTSTART:20270306T110000Z']));
  expect(find('20270309T110000')).toEqual(
    expect.arrayContaining(['LOCATION:Elsewhere', ...OF_OCCURRENCE, ...ALARM, 'DTSTART:20270309T110000Z']),
  );
  expect(find('20270304T090000')).toEqual(expect.arrayContaining(OF_OCCURRENCE));
  const uids = [...components().values()].map((lines) => lines.find((line) => line.startsWith('UID')));
  expect(new Set(uids).size).toBe(2);
  expect([...components().keys()].filter((key) => key.startsWith('RECURRENCE-ID'))).toHaveLength(2);
  const shown = await occurrences();
  expect(shown.map(({ start, location }) => [start.dateTime.slice(5, 16), location ?? ''])).toEqual(
    Array.from({ length: 12 }, (_, day) => [
      `03-${String(day + 1).padStart(2, '0')}T${day < 5 ? '09' : '11'}:00`,
      [3, 8].includes(day) ? 'Elsewhere' : '',
    ]),
  );
});
