import { google, googleEndpoints } from '@kalends/google';
import { icsFeed } from '@kalends/ics-feed';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { body, type Connected, expectProblem } from './steps.ts';
import { createWorld, type Json, SANDBOX_URL, type World } from './world.ts';

const FEED = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Mine\r\nEND:VCALENDAR\r\n';

let world: World;
let ada: Connected;
let ben: Connected;
/** An account of a calendar feed: it can be read alone, and its address is made up. */
let feed: Json;
beforeAll(async () => {
  const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    world.sandbox.fetch(new Request(input, init));
  const options = { fetch, limits: { callsPerInterval: Number.POSITIVE_INFINITY } };
  world = await createWorld(
    {
      providers: {
        PROVIDER_A: google({ ...googleEndpoints(`${SANDBOX_URL}/google`), ...options }),
        PROVIDER_B: microsoft({ ...microsoftEndpoints(`${SANDBOX_URL}/microsoft`), ...options }),
        ICS: icsFeed({ fetch: async () => new Response(FEED, { headers: { 'content-type': 'text/calendar' } }) }),
      },
    },
    { background: false },
  );
  ada = await world.connect('google');
  ben = await world.connect('microsoft');
  const credentials = { kind: 'url', url: 'https://cal.example.com/private.ics' };
  const { id } = body(
    await world.call('POST', '/v1/endUserAccounts', { body: { providerType: 'ICS', credentials } }),
    201,
  );
  feed = { endUserAccountId: id, calendarIds: ['feed'] };
});
afterAll(() => world.close());

const person = ({ accountId, calendarId }: Connected) => ({ endUserAccountId: accountId, calendarIds: [calendarId] });
let day = 0;
const take = (people: Json) => {
  day += 1;
  const date = new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 10);
  const slot = { startDateTime: `${date}T09:00:00`, endDateTime: `${date}T09:30:00`, timeZone: 'UTC' };
  return world.call('POST', '/v1/holds', { body: { ...people, ...slot } });
};

it('takes part in a hold and is not invited', async () => {
  const held = body(await take({ participants: [person(ada), feed, person(ben)] }), 201);
  const path = `/v1/holds/${held.id}/confirm?notifyAttendees=all`;
  const { event } = body(await world.call('POST', path, { body: { event: { title: 'Advice' } } }), 201);
  expect(event.attendees.map(({ email }: Json) => email)).toEqual([ben.email]);
});

it.each<[string, () => Json]>([
  ['participants.0.calendarIds.0', () => ({ participants: [feed, person(ada)] })],
  ['participants.1.calendarIds.0', () => ({ participants: [person(ada), feed], tentativeEvent: { writeTo: 'each' } })],
  [
    'roundRobin.candidates.1.calendarIds.0',
    () => ({ participants: [person(ada)], roundRobin: { pool: 'sales', candidates: [person(ben), feed] } }),
  ],
])('is refused where it would get the event: %s', async (path, people) => {
  expectProblem(await take(people()), 403, 'CalendarReadOnly', path);
});

it('takes part beside a candidate, and is refused an event of its own when the hold is confirmed', async () => {
  const people = { participants: [feed], roundRobin: { pool: 'support', candidates: [person(ada)] } };
  const held = body(await take(people), 201);
  const event = { title: 'Advice' };
  const refused = await world.call('POST', `/v1/holds/${held.id}/confirm`, { body: { event, writeTo: 'each' } });
  expectProblem(refused, 403, 'CalendarReadOnly');
  expectProblem(await world.call('GET', `/v1/holds/${held.id}`), 404, 'NotFound');
});
