import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connected, eventsPath, readAll } from '../steps.ts';
import { createImportWorld, exportOf, type ImportWorld, importedInto, TARGETS } from './import-world.ts';

let world: ImportWorld;
beforeAll(async () => {
  world = await createImportWorld();
});
afterAll(() => world.close());

const fileOf = (...events: readonly (readonly string[])[]) =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x'],
    ...events.flatMap((lines) => ['BEGIN:VEVENT', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT']),
    ...['END:VCALENDAR', ''],
  ].join('\r\n');
const ZONE = 'TZID=Europe/London';
const span = (day: string, hour: number) => [
  `DTSTART;${ZONE}:202603${day}T${hour}0000`,
  `DTEND;${ZONE}:202603${day}T${hour + 1}0000`,
];
const SERIES = ['UID:meet', 'SUMMARY:Meeting', 'LOCATION:Room', ...span('03', 12), 'RRULE:FREQ=DAILY;COUNT=4'];
const inSlot = (...lines: readonly string[]) => ['UID:meet', `RECURRENCE-ID;${ZONE}:20260304T120000`, ...lines];

/** Imports after a dry run, which must foretell it. */
async function imported(place: Connected, file: string) {
  const before = await importedInto(world, place, file, { dryRun: true });
  const { counts, problems } = await importedInto(world, place, file);
  expect({ counts: before.counts, problems: before.problems }).toEqual({ counts, problems });
  return { counts, problems };
}

/** Returns what takes place, such as `03 Meeting at Room`. */
async function held(place: Connected): Promise<readonly string[]> {
  const range = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z', expandRecurrences: true };
  const { data } = await readAll(world, eventsPath(place), { ...range, timeZone: 'Europe/London' });
  return data.map(({ start, title, location }) => `${start.dateTime.slice(8, 13)} ${title} at ${location}`);
}

describe.each(TARGETS)('an import at %s', (target) => {
  it.each([
    ['as its series', ['SUMMARY:Meeting', 'LOCATION:Room', ...span('04', 12)], '04T12 Meeting at Room'],
    ['otherwise', ['SUMMARY:Other', ...span('04', 15)], '04T15 Other at '],
  ])('brings back a cancelled occurrence that its file has %s', async (_, lines, shown) => {
    const place = await world.connectTo(target);
    await imported(place, fileOf(SERIES, inSlot('STATUS:CANCELLED', ...span('04', 12))));
    expect(await held(place)).toHaveLength(3);
    const alive = fileOf(SERIES, inSlot(...lines));
    expect(await imported(place, alive)).toMatchObject({ counts: { updated: 1 } });
    expect((await held(place))[1]).toBe(shown);
    expect(await imported(place, alive)).toMatchObject({ counts: { unchanged: 1 } });
  });
});

/** Connects a person of a CalDAV server who has a file there. */
async function personWith(file: string): Promise<Connected> {
  const person = await world.connectTo('caldav');
  const { email } = person;
  const password = world.sandbox.caldav.addAppPassword({ email });
  const answer = await world.sandbox.fetch(
    new Request(`http://sandbox.test/caldav/calendars/${email}/personal/one.ics`, {
      method: 'PUT',
      body: file,
      headers: { 'content-type': 'text/calendar', authorization: `Basic ${btoa(`${email}:${password}`)}` },
    }),
  );
  expect(answer.status).toBe(201);
  return person;
}

it('a single event that is cancelled in the calendar comes back', async () => {
  const lines = ['UID:one', 'SUMMARY:One', ...span('03', 12)];
  const place = await personWith(fileOf([...lines, 'STATUS:CANCELLED']));
  expect(await held(place)).toEqual([]);
  expect(await imported(place, fileOf(lines))).toMatchObject({ counts: { updated: 1 }, problems: [] });
  expect(await held(place)).toEqual(['03T12 One at ']);
});

it('what is cancelled in file and calendar is unchanged, and what still takes place of a series is taken over', async () => {
  const one = fileOf(['UID:one', 'SUMMARY:One', 'STATUS:CANCELLED', ...span('03', 12)]);
  const single = await personWith(one);
  expect(await imported(single, one)).toMatchObject({ counts: { unchanged: 1, refused: 0 }, problems: [] });

  const off = [...SERIES, 'STATUS:CANCELLED'];
  const place = await personWith(fileOf(off, inSlot('SUMMARY:Still on', ...span('04', 15))));
  const text = await exportOf(world, place);
  expect(await imported(place, text)).toMatchObject({ counts: { unchanged: 1, refused: 0 }, problems: [] });
  expect(await exportOf(world, place)).toBe(text);
  const later = fileOf(off, inSlot('SUMMARY:Later', ...span('04', 17)));
  expect(await imported(place, later)).toMatchObject({ counts: { updated: 1 }, problems: [] });
  expect(await held(place)).toEqual(['04T17 Later at ']);

  for (const [lines, shown] of [
    [['SUMMARY:Later', ...span('04', 17)], '04T17 Later at '],
    [['SUMMARY:Meeting', 'LOCATION:Room', ...span('04', 12)], '04T12 Meeting at Room'],
  ] as const) {
    const none = await personWith(fileOf(off));
    const alive = fileOf(off, inSlot(...lines));
    expect(await imported(none, alive)).toMatchObject({ counts: { updated: 1 }, problems: [] });
    expect(await held(none)).toEqual([shown]);
    expect(await imported(none, alive)).toMatchObject({ counts: { unchanged: 1 }, problems: [] });
  }
});

it('an event or a series that is cancelled in the file alone is refused, with what still takes place of it', async () => {
  const place = await world.connectTo('google');
  const off = [...SERIES, 'STATUS:CANCELLED'];
  const { counts, problems } = await imported(place, fileOf(off, inSlot('SUMMARY:Still on', ...span('04', 15))));
  expect(counts).toMatchObject({ refused: 1 });
  expect(problems.map(({ field, rule }: Record<string, string>) => [field, rule])).toEqual([
    ['STATUS', 'must not be CANCELLED'],
    ['RECURRENCE-ID', 'needs the series that it belongs to'],
  ]);
});
