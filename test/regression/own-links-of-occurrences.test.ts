import { manualClock } from '@kalends/conformance';
import type { EditScope } from 'kalends/model';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import type { Json, World } from '../interface/world.ts';

const linkTo = (room: string) => ({ joinUrl: `https://meet.example/${room}` });
const at = (day: string, hour: string) => ({ dateTime: `2027-03-${day}T${hour}:00:00Z`, timeZone: 'UTC' });

let world: World;
let path: string;
beforeEach(async () => {
  world = await createDavWorld({ clock: manualClock(Date.UTC(2027, 0, 1)) }, (_request, pass) => pass());
  const { accountId, calendarId } = await fillDavMailbox(world, 0, []);
  path = `/v1/events/${accountId}/${calendarId}`;
  const series = {
    title: 'Daily',
    start: at('01', '09'),
    end: at('01', '10'),
    recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
    conferenceData: linkTo('series'),
  };
  expect((await world.call('POST', path, { body: series })).status).toBe(201);
  for (const day of ['03', '04']) await write(day, 'this', { conferenceData: linkTo(day) });
});
afterEach(() => world.close());

/** Links of the occurrences by their days. */
async function links(): Promise<Readonly<Record<string, string | undefined>>> {
  return Object.fromEntries(
    (await occurrences()).map(({ start, conferenceData }) => [dayOf(start), conferenceData?.joinUrl]),
  );
}

const dayOf = ({ dateTime }: Json): string => dateTime.slice(8, 10);

async function occurrences(): Promise<readonly Json[]> {
  const window = 'startDateTime=2027-03-01T00:00:00Z&endDateTime=2027-04-01T00:00:00Z';
  const { body } = await world.call('GET', `${path}?limit=200&expandRecurrences=true&${window}`);
  return body.data;
}

async function write(day: string, scope: EditScope, body: Json): Promise<void> {
  const found = (await occurrences()).find(({ start }) => dayOf(start) === day);
  expect(await world.call('PUT', `${path}/${found?.id}?scope=${scope}`, { body })).toMatchObject({ status: 200 });
}

const joined = (...rooms: readonly string[]) =>
  Object.fromEntries(rooms.map((room, day) => [`0${day + 1}`, linkTo(room).joinUrl]));

it.each([
  ['all', joined('new', 'new', 'new', '04', 'new')],
  ['following', joined('series', 'series', 'new', '04', 'new')],
] as const)("a link that is sent for %s takes the place of the occurrence's own", async (scope, expected) => {
  expect(await links()).toEqual(joined('series', 'series', '03', '04', 'series'));
  await write('03', scope, { conferenceData: linkTo('new') });
  expect(await links()).toEqual(expected);
});

it('a link that is sent for all with new times does so too', async () => {
  await write('03', 'all', { conferenceData: linkTo('new'), start: at('03', '11'), end: at('03', '12') });
  expect(await links()).toEqual(joined('new', 'new', 'new', '04', 'new'));
});

it('no link that is sent for all takes away the own one of the occurrence', async () => {
  await write('03', 'all', { conferenceData: null });
  const { '04': other, ...none } = await links();
  expect(other).toBe(linkTo('04').joinUrl);
  expect(Object.values(none)).toEqual(Array(4).fill(undefined));
});
