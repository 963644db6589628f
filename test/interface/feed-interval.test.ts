import { type ManualClock, manualClock } from '@kalends/conformance';
import { google, googleEndpoints } from '@kalends/google';
import { icsFeed } from '@kalends/ics-feed';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import { sqlite } from '@kalends/sqlite';
import type { Storage } from 'kalends/ports';
import { afterEach, expect, it, vi } from 'vitest';
import { body, type Connected, expectProblem } from './steps.ts';
import { createWorld, type Json, SANDBOX_URL, type World } from './world.ts';

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 2, 1, 12);
const BUSY = ['UID:1', 'DTSTAMP:20260301T000000Z', 'DTSTART:20260303T090000Z', 'DTEND:20260303T100000Z'];
const SLOT = { startDateTime: '2026-03-03T09:00:00', endDateTime: '2026-03-03T10:00:00', timeZone: 'UTC' };

let clock: ManualClock;
let storage: Storage;
let world: World;
let ada: Connected;
/** The account of a feed that wants to be asked every 12 hours. */
let feedId: string;
let lines: readonly string[];
let askedAt: number[];
let isDown: boolean;
async function open(background: boolean): Promise<void> {
  clock = manualClock(START);
  storage = sqlite({ path: ':memory:', clock });
  [lines, askedAt, isDown] = [[], [], false];
  const inFeed = async () => {
    askedAt.push(clock.now());
    if (isDown) return new Response('', { status: 500 });
    const interval = 'REFRESH-INTERVAL;VALUE=DURATION:PT12H';
    const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', interval, ...lines, 'END:VCALENDAR', ''].join('\r\n');
    return new Response(text, { headers: { 'content-type': 'text/calendar' } });
  };
  const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    world.sandbox.fetch(new Request(input, init));
  const providers = {
    PROVIDER_A: google({ ...googleEndpoints(`${SANDBOX_URL}/google`), fetch, clock }),
    PROVIDER_B: microsoft({ ...microsoftEndpoints(`${SANDBOX_URL}/microsoft`), fetch, clock }),
    ICS: icsFeed({ fetch: inFeed, clock }),
  };
  world = await createWorld({ storage, clock, providers }, { clock, background });
  ada = await world.connect('google');
  const credentials = { kind: 'url', url: 'https://cal.example.com/p.ics' };
  const created = await world.call('POST', '/v1/endUserAccounts', { body: { providerType: 'ICS', credentials } });
  feedId = body(created, 201).id;
  await list();
  askedAt.length = 0;
}
afterEach(() => world.close());

const list = () => world.call('GET', `/v1/events/${feedId}/feed`);
const idsOf = (answer: Json) => body(answer, 200).data.map(({ id }: Json) => id);

it('lets no hold with pullFirst take a time that the feed has taken since', async () => {
  await open(false);
  await clock.advance(5_000);
  lines = ['BEGIN:VEVENT', ...BUSY, 'END:VEVENT'];
  const people = [
    { endUserAccountId: ada.accountId, calendarIds: [ada.calendarId] },
    { endUserAccountId: feedId, calendarIds: ['feed'] },
  ];
  const hold = await world.call('POST', '/v1/holds', { body: { pullFirst: true, participants: people, ...SLOT } });
  expectProblem(hold, 409, 'SlotTaken');
  expect(askedAt).toEqual([clock.now()]);
});

it('asks once for the reads of half a minute', async () => {
  await open(false);
  for (let second = 0; second < 300; second += 1) {
    await clock.advance(1_000);
    await list();
  }
  expect(askedAt.length).toBeGreaterThanOrEqual(9);
  expect(askedAt.length).toBeLessThanOrEqual(20);
  lines = ['BEGIN:VEVENT', ...BUSY, 'END:VEVENT'];
  await clock.advance(30_001);
  expect(idsOf(await list())).toHaveLength(1);
});

it('does not count polls that leave the feed alone, until a sync is asked for', async () => {
  await open(true);
  const { applicationId, engine } = world;
  const { operations } = engine;
  const rows = () => storage.schedule.list({ applicationId, accountId: feedId });
  const ages = async () => (await rows()).map(({ syncedAt }) => syncedAt);
  const before = await ages();
  for (let minutes = 0; minutes < 60; minutes += 1) await clock.advance(MINUTE_MS);
  expect(askedAt).toEqual([]);
  expect(await ages()).toEqual(before);
  // While a poll is under way its row has no time. The last minute may have begun one.
  const polled = await vi.waitFor(async () => {
    const row = (await rows()).find(({ calendarId }) => calendarId === 'feed');
    expect(row?.dueAt).toBeTypeOf('number');
    return row;
  });
  expect(polled?.dueAt).toBeGreaterThan(clock.now());
  expect(polled?.dueAt).toBeLessThanOrEqual(clock.now() + 2.5 * MINUTE_MS);
  const { since, total } = await operations.sync(applicationId, feedId);
  for (let seconds = 0; seconds < 10; seconds += 1) await clock.advance(1_000);
  expect((await operations.getSyncHealth(applicationId, feedId, { since })).progress).toMatchObject({
    total,
    done: total,
  });
  expect(askedAt.length).toBeGreaterThanOrEqual(2);
});

it('tells a failure until the feed is asked again', async () => {
  await open(true);
  const { applicationId } = world;
  const row = async () =>
    (await storage.schedule.list({ applicationId, accountId: feedId })).find(({ calendarId }) => calendarId === 'feed');
  isDown = true;
  await clock.advance(40_000);
  await Promise.all([list(), clock.advance(20_000)]);
  expect(await row()).toMatchObject({ failures: 1, lastFailure: { code: 'ProviderUnavailable' } });
  const times = askedAt.length;
  for (let minutes = 0; minutes < 30; minutes += 1) await clock.advance(MINUTE_MS);
  expect(askedAt).toHaveLength(times);
  expect(await row()).toMatchObject({ failures: 1, lastFailure: { code: 'ProviderUnavailable' } });
  isDown = false;
  await list();
  expect(await row()).toMatchObject({ failures: 0, lastFailure: null });
});
