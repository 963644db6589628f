import { afterAll, beforeAll, expect, it } from 'vitest';
import { body, type Connected, eventsPath, readAll } from '../steps.ts';
import type { Json } from '../world.ts';
import { createImportWorld, exportOf, type ImportWorld, importedInto, TARGETS } from './import-world.ts';

let world: ImportWorld;
beforeAll(async () => {
  world = await createImportWorld();
});
afterAll(() => world.close());

const fileOf = (...lines: readonly string[]) =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:x', 'BEGIN:VEVENT', 'DTSTAMP:20260101T000000Z', ...lines],
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');
const ONE = ['UID:one', 'SUMMARY:One', 'DTSTART:20260303T123000Z', 'DTEND:20260303T131500Z'];

const counted = async (place: Connected, file: string): Promise<Json> =>
  (await importedInto(world, place, file)).counts;

async function onlyEvent(place: Connected): Promise<Json> {
  const { data } = await readAll(world, eventsPath(place));
  expect(data).toHaveLength(1);
  return data[0];
}

it.each(TARGETS)('an import at %s clears the link and the colours that a file no longer has', async (target) => {
  const place = await world.connectTo(target);
  const full = fileOf(...ONE, 'CONFERENCE;VALUE=URI:https://meet.example/a', 'COLOR:red', 'X-KALENDS-COLOR-ID:3');
  await importedInto(world, place, full);
  expect(await onlyEvent(place)).toMatchObject({ colorId: '3', customColor: 'red' });
  expect(await counted(place, full)).toMatchObject({ unchanged: 1 });
  expect(await counted(place, fileOf(...ONE))).toMatchObject({ updated: 1 });
  const bare = await onlyEvent(place);
  for (const field of ['conferenceData', 'colorId', 'customColor']) expect(bare).not.toHaveProperty(field);
  expect(await counted(place, fileOf(...ONE))).toMatchObject({ unchanged: 1 });
});

it('an import keeps a meeting that the provider made itself', async () => {
  const place = await world.connectTo('google');
  const at = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
  const times = { start: at('2026-03-03T12:30:00Z'), end: at('2026-03-03T13:15:00Z') };
  const fields = { title: 'Made', ...times, generateMeetingUrlProvider: 'hangoutsMeet' };
  const { iCalUid } = body(await world.call('POST', eventsPath(place), { body: fields }), 201);
  const file = fileOf(`UID:${iCalUid}`, 'SUMMARY:Renamed', ...ONE.slice(2));
  expect(await counted(place, file)).toMatchObject({ updated: 1 });
  expect(await onlyEvent(place)).toMatchObject({
    title: 'Renamed',
    conferenceData: { conferenceType: 'hangoutsMeet' },
  });
});

it('an import takes over the names of attendees, and keeps those that the file does not tell', async () => {
  const place = await world.connectTo('google');
  const invited = (name: string) =>
    fileOf(...ONE, `ORGANIZER:mailto:${place.email}`, `ATTENDEE${name}:mailto:bob@x.example`);
  await importedInto(world, place, invited(';CN=Old Name'));
  expect(await counted(place, invited(';CN=New Name'))).toMatchObject({ updated: 1 });
  expect((await onlyEvent(place)).attendees).toMatchObject([{ name: 'New Name' }]);
  expect(await counted(place, invited(''))).toMatchObject({ unchanged: 1 });
});

it.each(TARGETS)('an import at %s leaves the zones of its own export as they are', async (target) => {
  const place = await world.connectTo(target);
  const create = async (timeZone: string, dateTime: string, more: Json) => {
    const fields = { title: timeZone, start: { dateTime, timeZone }, ...more };
    body(await world.call('POST', eventsPath(place), { body: fields }), 201);
  };
  const daily = { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] };
  for (const zone of ['UTC', 'GMT', 'Etc/UTC', 'Etc/Zulu']) await create(zone, '2026-03-03T09:00:00', daily);
  // The second half past one of the night: a local time would mean the first.
  await create('Europe/London', '2026-10-25T01:30:00+00:00', {});
  const text = await exportOf(world, place);
  expect(await counted(place, text)).toMatchObject({ unchanged: 5, updated: 0 });
  expect(await exportOf(world, place)).toBe(text);
});
