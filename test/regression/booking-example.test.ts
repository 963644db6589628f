import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@kalends/client';
import { google, googleEndpoints } from '@kalends/google';
import { nodeListener } from '@kalends/http/node';
import { icsFeed } from '@kalends/ics-feed';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBookings } from '../../docs/examples/booking/bookings.js';
import { body, type Connected, eventsPath } from '../interface/steps.ts';
import { createWorld, SANDBOX_URL, type World } from '../interface/world.ts';

/* The operations of docs/examples/booking. test/browser presses its buttons. */
const FEED = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Mine\r\nEND:VCALENDAR\r\n';
const DAY_MS = 86_400_000;
const timeZone = 'UTC';
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const window = {
  startDateTime: new Date(today + DAY_MS).toISOString(),
  endDateTime: new Date(today + 9 * DAY_MS).toISOString(),
  timeZone,
};

let world: World;
let ada: Connected;
let bookings: ReturnType<typeof createBookings>;
const server = createServer((request, response) => nodeListener(world.handler)(request, response));
beforeAll(async () => {
  const network: typeof fetch = (input, init) => world.sandbox.fetch(new Request(input, init));
  const options = { fetch: network, limits: { callsPerInterval: Number.POSITIVE_INFINITY } };
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  bookings = createBookings(createClient({ baseUrl, apiKey: world.apiKey }));
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await world.close();
});

/** Holds and confirms a time that is offered. */
async function book(who: string, index: number) {
  const slot = (await bookings.slots(who, window))[index];
  if (slot === undefined) throw new Error('no such slot is offered');
  const hold = await bookings.hold(who, slot.startDateTime, timeZone);
  if (!('id' in hold)) throw new Error('the slot is taken');
  const confirmed = await bookings.confirm(hold.id, { name: 'Mary', email: 'mary@else.example' });
  if (!('token' in confirmed)) throw new Error('the hold is not confirmed');
  return { token: confirmed.token, slot };
}

it('moves a booking to no time that is not offered, whatever the browser asks for', async () => {
  const { token, slot } = await book(ada.accountId, 0);
  const offered = await bookings.slots(ada.accountId, window);
  const atNight = slot.startDateTime.replace(/T\d\d:\d\d/, 'T03:07');
  const betweenSteps = (offered[2]?.startDateTime ?? '').replace(/T(\d\d:\d)\d/, 'T$17');
  for (const start of [atNight, betweenSteps]) {
    expect(await bookings.move(token, start, timeZone)).toEqual({
      code: 'SlotTaken',
      nextSlots: offered.filter(({ startDateTime }) => startDateTime > start).slice(0, 5),
    });
  }
  const inAMinute = new Date(Date.now() + 60_000).toISOString();
  expect(await bookings.move(token, inAMinute, timeZone)).toMatchObject({ code: 'SlotTaken' });
  expect(await bookings.read(token)).toMatchObject({ startDateTime: slot.startDateTime });
  const next = offered[2]?.startDateTime ?? '';
  expect(await bookings.move(token, next, timeZone)).toEqual({});
  expect(await bookings.read(token)).toMatchObject({ startDateTime: next });
});

it('leaves accounts that cannot take an event out of the hosts, the times and the holds', async () => {
  const credentials = { kind: 'url', url: 'https://cal.example.com/private.ics' };
  const connected = await world.call('POST', '/v1/endUserAccounts', { body: { providerType: 'ICS', credentials } });
  const { id } = body(connected, 201);
  expect(await bookings.listHosts()).toEqual([{ id: ada.accountId, name: ada.email }]);
  await expect(bookings.slots(id, window)).rejects.toThrow('There is no such host.');
  const { token } = await book('team', 4);
  expect(await bookings.read(token)).toMatchObject({ who: ada.accountId });
});

it('shows the time to which the host has moved the event', async () => {
  const { token, slot } = await book(ada.accountId, 0);
  const { event } = body(await world.call('GET', `/v1/bookings/${token}`));
  const laterBy = (dateTime: string) => ({ dateTime: new Date(Date.parse(dateTime) + 7 * DAY_MS).toISOString() });
  const [start, end] = [laterBy(slot.startDateTime), laterBy(slot.endDateTime)];
  body(await world.call('PUT', eventsPath(ada, event.id), { body: { start, end } }));
  const shown = await bookings.read(token);
  expect(Date.parse(shown.startDateTime)).toBe(Date.parse(start.dateTime));
  expect(Date.parse(shown.endDateTime)).toBe(Date.parse(end.dateTime));
});
