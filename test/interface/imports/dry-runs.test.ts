import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { body, type Connected, eventsPath, readAll } from '../steps.ts';
import type { Json } from '../world.ts';
import { createImportWorld, type ImportWorld, importedInto, TARGETS } from './import-world.ts';

let world: ImportWorld;
beforeAll(async () => {
  world = await createImportWorld();
}, 60_000);
afterAll(() => world.close());

const fileOf = (...events: readonly (readonly string[])[]) =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0'],
    ...events.flatMap((lines) => ['BEGIN:VEVENT', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT']),
    ...['END:VCALENDAR', ''],
  ].join('\r\n');

/** The report of a dry run, which the import must confirm. */
async function foretold(place: Connected, file: string): Promise<Json> {
  const { counts, problems } = await importedInto(world, place, file, { dryRun: true });
  const real = await importedInto(world, place, file);
  expect({ counts, problems }).toEqual({ counts: real.counts, problems: real.problems });
  return { counts, problems };
}

describe.each(TARGETS)('a dry run at %s', (target) => {
  it('says of a file that was imported before that nothing changes', async () => {
    const place = await world.connectTo(target);
    const times = ['DTSTART;TZID=Europe/Vienna:20260303T123000', 'DTEND;TZID=Europe/Vienna:20260303T131500'];
    const file = fileOf(
      ['UID:one', 'SUMMARY:One', ...times],
      ['UID:series', 'SUMMARY:Series', ...times, 'RRULE:FREQ=WEEKLY;WKST=SU;INTERVAL=1;COUNT=9;BYDAY=TU'],
    );
    expect((await foretold(place, file)).counts.created).toBe(2);
    expect((await foretold(place, file)).counts.unchanged).toBe(2);
    expect((await foretold(place, file.replace('SUMMARY:One', 'SUMMARY:Two'))).counts).toMatchObject({
      ...{ updated: 1, unchanged: 1 },
    });
  }, 60_000);
});

it('a dry run says that a CalDAV server changes no meeting without mail, not even its reminders', async () => {
  const place = await world.connectTo('caldav');
  const at = (hour: string) => ({ dateTime: `2027-03-03T${hour}:30:00Z`, timeZone: 'UTC' });
  const meeting = { title: 'Meeting', start: at('12'), end: at('13'), attendees: [{ email: 'ann@example.com' }] };
  const { iCalUid } = body(await world.call('POST', eventsPath(place), { body: meeting }), 201);
  const lines = [
    ...[`UID:${iCalUid}`, 'SUMMARY:Meeting', 'DTSTART:20270303T123000Z', 'DTEND:20270303T133000Z'],
    'ATTENDEE:mailto:ann@example.com',
  ];
  expect((await foretold(place, fileOf(lines))).counts.unchanged).toBe(1);
  for (const personal of [['CATEGORIES:Work'], ['BEGIN:VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT5M', 'END:VALARM']]) {
    const { counts, problems } = await foretold(place, fileOf([...lines, ...personal]));
    expect(counts.refused).toBe(1);
    expect(problems.at(-1).field).toBe('notifyAttendees');
  }
}, 60_000);

it('a dry run says which changes of a meeting Microsoft refuses without mail', async () => {
  const place = await world.connectTo('microsoft');
  const meeting = await world.atProvider('microsoft', place.email, 'POST', '/me/events', {
    subject: 'Meeting',
    start: { dateTime: '2027-03-03T12:30:00', timeZone: 'UTC' },
    end: { dateTime: '2027-03-03T13:30:00', timeZone: 'UTC' },
    attendees: [{ emailAddress: { address: 'ann@example.com' }, type: 'required' }],
    recurrence: {
      pattern: { type: 'daily', interval: 1 },
      range: { type: 'numbered', numberOfOccurrences: 3, startDate: '2027-03-03' },
    },
  });
  await expect.poll(async () => (await readAll(world, eventsPath(place))).data.length).toBe(1);
  const lines = [
    ...[`UID:${meeting.iCalUId}`, 'DTSTART:20270303T123000Z', 'DTEND:20270303T133000Z'],
    ...['RRULE:FREQ=DAILY;COUNT=3', 'ATTENDEE:mailto:ann@example.com'],
  ];
  const refused = await foretold(place, fileOf([...lines, 'SUMMARY:Other']));
  expect(refused.counts.refused).toBe(1);
  expect(refused.problems.at(-1).field).toBe('notifyAttendees');
  const personal = await foretold(place, fileOf([...lines, 'SUMMARY:Meeting', 'CATEGORIES:Work']));
  expect(personal.counts.updated).toBe(1);
  const cancelled = await foretold(
    place,
    fileOf(
      [...lines, 'SUMMARY:Meeting', 'CATEGORIES:Work'],
      [...lines.slice(0, 1), 'RECURRENCE-ID:20270304T123000Z', 'DTSTART:20270304T123000Z', 'STATUS:CANCELLED'],
    ),
  );
  expect(cancelled.problems.at(-1).field).toBe('notifyAttendees');
}, 60_000);
