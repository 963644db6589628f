import { expect, test } from 'vitest';
import type { Json } from '../interface/world.ts';
import { useOutlook } from './outlook-world.ts';

/* Rooms by their addresses, several places, and a meeting that asks for no answers: no field of the interface tells them. */

const room = (number: number) => ({
  displayName: `Room ${number}`,
  locationEmailAddress: `room${number}@microsoft.example`,
  locationType: 'conferenceRoom',
});

const outlook = useOutlook();
const { graph, instances, weekly } = outlook;

/** Mondays from April 6th; the 27th is in another room, and asks for answers. */
async function outlookSeries(): Promise<string> {
  const id = await weekly({
    locations: [room(1), room(2)],
    responseRequested: false,
  });
  const slots = await instances(id);
  await graph('PATCH', `/${slots[3].id}`, { location: room(3), responseRequested: true });
  return id;
}

async function shown(id: string): Promise<readonly unknown[]> {
  return (await instances(id)).map(({ start, locations, responseRequested }) => [
    start.dateTime.slice(5, 16),
    locations.map(({ locationEmailAddress, locationType }: Json) => `${locationEmailAddress} ${locationType}`),
    responseRequested,
  ]);
}

const [ONE, TWO, THREE] = [1, 2, 3].map((number) => `room${number}@microsoft.example conferenceRoom`);
const at = (day: string, hour: number) => ({ dateTime: `2026-04-${day}T${hour}:00:00Z`, timeZone: 'UTC' });

test('all stay when all times move', async () => {
  const id = await outlookSeries();
  await outlook.put(id, { start: at('06', 11), end: at('06', 12) }, 'all');
  expect(await shown(id)).toEqual([
    ['04-06T11:00', [ONE, TWO], false],
    ['04-13T11:00', [ONE, TWO], false],
    ['04-20T11:00', [ONE, TWO], false],
    ['04-27T11:00', [THREE], true],
    ['05-04T11:00', [ONE, TWO], false],
  ]);
});

test.each([
  ['a new title', { title: 'Weekly 2' }, '09:00'],
  ['other times', { start: at('20', 11), end: at('20', 12) }, '11:00'],
])('all go into a new half with %s', async (_what, patch, time) => {
  const id = await outlookSeries();
  const { id: newId } = await outlook.put(`${id}_20260420T090000Z`, patch, 'following');
  expect(await shown(newId)).toEqual([
    [`04-20T${time}`, [ONE, TWO], false],
    [`04-27T${time}`, [THREE], true],
    [`05-04T${time}`, [ONE, TWO], false],
  ]);
  await outlook.expectSynced();
});

test('a new half has the place that the split gives it', async () => {
  const id = await outlookSeries();
  const { id: newId } = await outlook.put(`${id}_20260420T090000Z`, { location: 'Garden' }, 'following');
  const places = (await instances(newId)).map(({ locations }) => locations.map(({ displayName }: Json) => displayName));
  expect(places).toEqual([['Garden'], ['Room 3'], ['Garden']]);
});

const meetingIn = (...locations: readonly object[]): Promise<Json> =>
  graph('POST', '', {
    subject: 'Once',
    locations,
    attendees: [{ emailAddress: { address: 'room1@microsoft.example' }, type: 'resource' }],
    start: { dateTime: '2026-04-06T09:00:00', timeZone: 'UTC' },
    end: { dateTime: '2026-04-06T10:00:00', timeZone: 'UTC' },
  });

test('all stay when the details of the first one change', async () => {
  const { id } = await meetingIn(room(1), { ...room(2), address: { city: 'Oslo' } });
  const locationDetails = { address: { city: 'Bonn' } };
  await outlook.put(id, { title: 'Twice', location: 'Room 1', locationDetails });
  const { subject, locations } = await graph('GET', `/${id}`);
  expect([subject, locations]).toMatchObject([
    'Twice',
    [
      { ...room(1), ...locationDetails },
      { ...room(2), address: { city: 'Oslo' } },
    ],
  ]);
  await outlook.put(id, { locationDetails: null });
  const [first, second] = (await graph('GET', `/${id}`)).locations;
  expect(first).not.toHaveProperty('address');
  expect(second).toMatchObject({ address: { city: 'Oslo' } });
});

test('all stay when a client sends back what it read, with another title', async () => {
  const { id } = await meetingIn({ ...room(1), address: { city: 'Bonn' } }, room(2));
  await outlook.put(id, { ...(await outlook.get(id)), title: 'Twice' });
  const { subject, locations, attendees } = await graph('GET', `/${id}`);
  expect([subject, locations, attendees]).toMatchObject(['Twice', [room(1), room(2)], [{ type: 'resource' }]]);
});

test('another place replaces all, and the room stays invited', async () => {
  const { id } = await meetingIn(room(1), room(2));
  await outlook.put(id, { location: 'Garden' });
  const { locations, attendees } = await graph('GET', `/${id}`);
  expect(locations).toEqual([expect.objectContaining({ displayName: 'Garden', locationType: 'default' })]);
  expect(attendees).toMatchObject([{ type: 'resource', emailAddress: { address: 'room1@microsoft.example' } }]);
});

test('a room keeps its address when its details change', async () => {
  const { id } = await meetingIn(room(1));
  const locationDetails = { address: { city: 'Bonn' } };
  await outlook.put(id, { locationDetails });
  expect((await graph('GET', `/${id}`)).location).toMatchObject({ ...room(1), ...locationDetails });
});
