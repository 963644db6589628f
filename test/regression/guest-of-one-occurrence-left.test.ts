import { afterEach, beforeEach, expect, test } from 'vitest';
import { body, eventsPath, query } from '../interface/steps.ts';
import { createWorld, type Json, type World } from '../interface/world.ts';

// A guest is taken off a series and invited to one occurrence of it. Google tells of both, in an order that it does not promise.

type Account = Awaited<ReturnType<World['connect']>>;

const WINDOW = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' };
const ALL = ['02', '03', '04', '05', '06'];
const at = (hour: string) => ({ dateTime: `2026-03-02T${hour}:00:00Z`, timeZone: 'UTC' });

let world: World;
let organizer: Account;
let guest: Account;
let seriesId: string;

beforeEach(async () => {
  world = await createWorld();
  organizer = await world.connect('google');
  guest = await world.connect('google');
  const recurrence = ['RRULE:FREQ=DAILY;COUNT=5'];
  const series = { summary: 'Daily', start: at('09'), end: at('10'), recurrence };
  seriesId = (await world.atProvider('google', organizer.email, 'POST', '/calendars/primary/events', series)).id;
});
afterEach(() => world.close());

const occurrence = () => `${seriesId}_20260304T090000Z`;

/** Invites these people, to the series or one occurrence, and takes all others off. */
async function invite(eventId: string, ...emails: readonly string[]): Promise<void> {
  const attendees = emails.map((email) => ({ email }));
  await world.atProvider('google', organizer.email, 'PATCH', `/calendars/primary/events/${eventId}`, { attendees });
}

/** Days on which an account sees the series. */
async function shown(account: Account): Promise<readonly string[]> {
  // Asking for an unknown event brings in what is new.
  await world.call('GET', eventsPath(account, 'unknown'));
  const asked = query({ ...WINDOW, expandRecurrences: true, orderBy: 'startDateTime' });
  const { data } = body(await world.call('GET', eventsPath(account) + asked));
  return (data as Json[]).map(({ start }) => start.dateTime.slice(8, 10));
}

/** Changes how Google lists events from here on: fewer on a page, or each page the other way round. */
function listEvents({
  maxResults,
  isReversed = false,
}: {
  readonly maxResults?: number;
  readonly isReversed?: boolean;
}) {
  const { fetch } = world.sandbox;
  const altered = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    if (request.method !== 'GET' || !url.pathname.endsWith('/events')) return fetch(request);
    if (maxResults !== undefined) url.searchParams.set('maxResults', String(maxResults));
    const answer = await fetch(new Request(url, request));
    const list: Json = await answer.json();
    if (isReversed) list.items?.reverse();
    return Response.json(list, { status: answer.status });
  };
  Object.assign(world.sandbox, { fetch: altered });
}

test.each([
  ['as it comes', {}],
  ['the occurrence first', { isReversed: true }],
  ['on pages of one event', { maxResults: 1 }],
])('told %s, the occurrence stays, until the guest is taken off it too', async (_how, list) => {
  listEvents(list);
  await invite(seriesId, guest.email);
  expect(await shown(guest)).toEqual(ALL);
  await invite(seriesId);
  await invite(occurrence(), guest.email);
  expect(await shown(guest)).toEqual(['04']);
  expect(await shown(organizer)).toEqual(ALL);
  await invite(occurrence());
  expect(await shown(guest)).toEqual([]);
});

test.each([
  ['on one page', {}],
  ['on pages of one event', { maxResults: 1 }],
])('a first list that has the occurrence before the end of the series, %s', async (_how, list) => {
  const email = 'late@gmail.example';
  world.sandbox.google.addMailbox({ email, name: 'Late', timeZone: 'UTC' });
  await invite(occurrence(), email);
  await invite(seriesId, email, 'zoe@example.com');
  await invite(seriesId);
  const path = '/calendars/primary/events?showDeleted=true';
  const { items } = await world.atProvider('google', email, 'GET', path);
  expect(items.map(({ id }: Json) => id)).toEqual([occurrence(), seriesId]);
  listEvents(list);
  expect(await shown(await world.connect('google', email))).toEqual(['04']);
});

test('a full list that does not show the series any more', async () => {
  await invite(seriesId, guest.email);
  expect(await shown(guest)).toEqual(ALL);
  await invite(seriesId);
  await invite(occurrence(), guest.email);
  world.sandbox.google.controls.expireSyncTokens?.({});
  expect(await shown(guest)).toEqual(['04']);
});

test('what the guest alone has changed goes with the series', async () => {
  await invite(seriesId, guest.email);
  const path = `/calendars/primary/events/${occurrence()}`;
  await world.atProvider('google', guest.email, 'PATCH', path, { colorId: '3' });
  expect(await shown(guest)).toEqual(ALL);
  await invite(seriesId);
  expect(await shown(guest)).toEqual([]);
  await invite(seriesId, guest.email);
  expect(await shown(guest)).toEqual(ALL);
  const { items } = await world.atProvider(
    'google',
    guest.email,
    'GET',
    `/calendars/primary/events/${seriesId}/instances`,
  );
  expect(items).toHaveLength(ALL.length);
  await world.atProvider('google', organizer.email, 'DELETE', `/calendars/primary/events/${seriesId}`);
  expect(await shown(guest)).toEqual([]);
});

test('an own write holds the series while its end is listed', async () => {
  await invite(seriesId, guest.email);
  expect(await shown(guest)).toEqual(ALL);
  const { fetch } = world.sandbox;
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const isWritten = new Promise<void>((resolve) => {
    const held = async (request: Request): Promise<Response> => {
      const answer = await fetch(request);
      if (request.method !== 'PATCH') return answer;
      Object.assign(world.sandbox, { fetch });
      resolve();
      await isReleased;
      return answer;
    };
    Object.assign(world.sandbox, { fetch: held });
  });
  const write = world.call('PUT', eventsPath(guest, seriesId), { body: { colorId: '5' } });
  await isWritten;
  await invite(seriesId);
  await invite(occurrence(), guest.email);
  await shown(guest);
  release();
  await write;
  expect(await shown(guest)).toEqual(['04']);
});
