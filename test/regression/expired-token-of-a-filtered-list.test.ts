import { type CalendarEvent, createClient } from '@kalends/client';
import { digestOf } from '@kalends/client/digest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { movableClock } from '../interface/movable-clock.ts';
import { createWorld, type World } from '../interface/world.ts';

/*
 * The fallback of the client's sync listed by what its caller had sent: beside a token alone, the whole calendar unexpanded and
 * without its digest.
 */
const DAY_MS = 86_400_000;
const clock = movableClock();
let world: World;
beforeAll(async () => {
  world = await createWorld({ clock }, { clock });
});
afterAll(() => world.close());

it('a filtered list that is synced by its token alone is listed anew as it was', async () => {
  const { events } = createClient({
    baseUrl: 'http://kalends.test',
    apiKey: world.apiKey,
    fetch: (url, init) => world.handler(new Request(url, init)),
  });
  const { accountId, calendarId } = await world.connect('google');
  const create = (title: string, day: number, recurrence?: string[]) =>
    events.create(accountId, calendarId, { title, start: { dateTime: `2027-03-0${day}T09:00:00` }, recurrence });
  await create('planning', 1, ['RRULE:FREQ=DAILY;COUNT=2']);
  await create('secret', 2);
  const list = {
    startDateTime: '2027-03-01T00:00:00',
    endDateTime: '2027-04-01T00:00:00',
    timeZone: 'Asia/Tokyo',
    expandRecurrences: true,
    search: 'plan',
    digest: true,
  } as const;
  const first = await events.sync(accountId, calendarId, list);
  expect(first.records.map(({ id }) => id)).toHaveLength(2);
  const { syncToken } = await events.sync(accountId, calendarId, { syncToken: first.syncToken, verify: true });

  clock.pass(31 * DAY_MS);
  const anew = await events.sync(accountId, calendarId, { syncToken, verify: true });
  expect(anew).toMatchObject({ isFull: true, records: first.records });
  expect(anew.digest).toBe(await digestOf(anew.records as CalendarEvent[]));
  expect(await events.sync(accountId, calendarId, { syncToken: anew.syncToken, verify: true })).toMatchObject({
    isFull: false,
    isVerified: true,
  });

  const { nextSyncToken } = await events.list(accountId, calendarId, list).page();
  clock.pass(31 * DAY_MS);
  await expect(events.sync(accountId, calendarId, { syncToken: nextSyncToken as string })).rejects.toMatchObject({
    code: 'SyncTokenExpired',
  });
});
