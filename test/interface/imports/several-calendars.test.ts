import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventsPath, readAll } from '../steps.ts';
import type { Json } from '../world.ts';
import { createImportWorld, type ImportWorld, importedInto } from './import-world.ts';

let world: ImportWorld;
beforeAll(async () => {
  world = await createImportWorld();
});
afterAll(() => world.close());

/** A calendar whose zone "Customized Time Zone" has the offset, or none. */
function calendar(
  offset: string | undefined,
  properties: readonly string[],
  ...events: readonly (readonly string[])[]
) {
  const zone = [
    ...['BEGIN:VTIMEZONE', 'TZID:Customized Time Zone', 'BEGIN:STANDARD', 'DTSTART:16010101T000000'],
    ...[`TZOFFSETFROM:${offset}`, `TZOFFSETTO:${offset}`, 'END:STANDARD', 'END:VTIMEZONE'],
  ];
  return [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', ...properties],
    ...events.flatMap((lines) => ['BEGIN:VEVENT', 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT']),
    // Some programs write zones behind the events.
    ...(offset === undefined ? [] : zone),
    'END:VCALENDAR',
  ];
}

const textOf = (...calendars: readonly (readonly string[])[]) => `${calendars.flat().join('\r\n')}\r\n`;
const inZone = (uid: string) => [
  ...[`UID:${uid}`, `SUMMARY:${uid}`],
  ...['DTSTART;TZID="Customized Time Zone":20260303T090000', 'DURATION:PT1H'],
];
const floating = (uid: string) => [`UID:${uid}`, `SUMMARY:${uid}`, 'DTSTART:20260304T090000', 'DURATION:PT1H'];

it('the events of each calendar of a file are in its own zones', async () => {
  const place = await world.connectTo('google');
  const file = textOf(
    calendar('-0500', ['X-WR-TIMEZONE:America/New_York'], inZone('a'), floating('b')),
    calendar('+0900', [], inZone('c')),
    calendar('+0900', [], inZone('d')),
    calendar('-0500', ['X-WR-TIMEZONE:America/New_York'], inZone('e')),
    calendar(undefined, [], floating('f')),
    calendar(undefined, ['X-WR-TIMEZONE:Asia/Tokyo'], floating('g')),
  );
  expect((await importedInto(world, place, file)).counts.created).toBe(7);
  const { data } = await readAll(world, eventsPath(place));
  const starts = data.map(({ title, start }: Json) => [title, new Date(start.dateTime).toISOString()]);
  expect(Object.fromEntries(starts)).toEqual({
    a: '2026-03-03T14:00:00.000Z',
    b: '2026-03-04T14:00:00.000Z',
    c: '2026-03-03T00:00:00.000Z',
    d: '2026-03-03T00:00:00.000Z',
    e: '2026-03-03T14:00:00.000Z',
    // Of the calendar that it is imported into, in Berlin.
    f: '2026-03-04T08:00:00.000Z',
    g: '2026-03-04T00:00:00.000Z',
  });
});

it('a series in one calendar and its exception in another one are one series, in its latest version', async () => {
  const place = await world.connectTo('google');
  const series = (title: string, changed: string) => [
    ...['UID:series', `SUMMARY:${title}`, 'DTSTART:20260304T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'],
    `LAST-MODIFIED:${changed}`,
  ];
  const exception = ['UID:series', 'RECURRENCE-ID:20260305T090000Z', 'SUMMARY:moved', 'DTSTART:20260305T150000Z'];
  const file = textOf(
    calendar(undefined, ['X-WR-TIMEZONE:Asia/Tokyo'], series('new', '20260202T000000Z')),
    calendar(undefined, ['X-WR-TIMEZONE:Europe/Berlin'], [...exception, 'DURATION:PT1H']),
    calendar(undefined, ['X-WR-TIMEZONE:Europe/Paris'], series('old', '20260201T000000Z')),
  );
  expect(await importedInto(world, place, file)).toMatchObject({ counts: { created: 1, refused: 0 }, problems: [] });
  const range = 'expandRecurrences=true&startDateTime=2026-03-01T00:00:00Z&endDateTime=2026-04-01T00:00:00Z';
  const { data } = await readAll(world, `${eventsPath(place)}?${range}`);
  expect(data.map(({ title }) => title).sort()).toEqual(['moved', 'new', 'new']);
});

it('a calendar without time zones has those of the one before it', async () => {
  const place = await world.connectTo('google');
  const file = textOf(
    calendar('+0900', []),
    calendar(undefined, [], inZone('a')),
    calendar(undefined, [], inZone('b')),
  );
  expect((await importedInto(world, place, file)).counts.created).toBe(2);
  const { data } = await readAll(world, eventsPath(place));
  const starts = data.map(({ start }: Json) => new Date(start.dateTime).toISOString());
  expect(starts).toEqual(['2026-03-03T00:00:00.000Z', '2026-03-03T00:00:00.000Z']);
});

it.each([
  true,
  false,
])('of several events of one UID one is imported, and the report says so (dryRun %s)', async (dryRun) => {
  const place = await world.connectTo('google');
  const monday = ['UID:same', 'SUMMARY:s', 'DTSTART:20260302T090000Z', 'DURATION:PT1H'];
  const tuesday = monday.map((line) => line.replace('20260302', '20260303'));
  const told = async (...events: readonly (readonly string[])[]) => {
    const { counts, problems } = await importedInto(world, place, textOf(calendar(undefined, [], ...events)), {
      dryRun,
    });
    return [counts, problems];
  };
  const created = expect.objectContaining({ created: 1, refused: 0 });
  expect(await told(monday, tuesday)).toEqual([
    created,
    [{ uid: 'same', field: 'UID', rule: 'is that of several events; one was taken' }],
  ]);
  const other = monday.map((line) => line.replace('UID:same', 'UID:twice'));
  expect(await told(other, other)).toEqual([created, []]);
});
