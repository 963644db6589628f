import { afterEach, beforeEach, expect, it } from 'vitest';
import { body, type Connected, eventsPath, readAll } from './steps.ts';
import { createWorld, type Json, type World } from './world.ts';

let world: World;
let account: Connected;
beforeEach(async () => {
  world = await createWorld();
  account = await world.connect('google');
});
afterEach(() => world.close());

const NINE = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };

/** Google refuses the first look at what it is still making: the write is done all the same. */
function refuseOneLook() {
  world.sandbox.faults.arm({
    provider: 'google',
    method: 'GET',
    path: '.*/events/.*',
    kind: 'answer',
    status: 403,
    times: 1,
  });
}

function statusOf(event: Json): string {
  return event.conferenceData.conferenceDetails.createRequest.status.statusCode;
}

it('a meeting that was pending when the event was made comes by itself, with the next read', async () => {
  const { nextSyncToken } = await readAll(world, eventsPath(account));
  refuseOneLook();
  const wish = { title: 'Meeting', start: NINE, generateMeetingUrlProvider: 'hangoutsMeet' };
  const event = body(await world.call('POST', eventsPath(account), { body: wish }), 201);
  expect(statusOf(event)).toBe('pending');
  expect(event.conferenceData).not.toHaveProperty('joinUrl');
  const read = body(await world.call('GET', eventsPath(account, event.id)));
  expect(statusOf(read)).toBe('success');
  expect(read.conferenceData.joinUrl).toMatch(/^https:\/\/meet\.google\.com\//);
  expect(read.generateMeetingUrlProvider).toBe('hangoutsMeet');
  const { data } = await readAll(world, eventsPath(account), { syncToken: nextSyncToken });
  expect(data).toEqual([read]);
});

it('the same for a series, and for a meeting that is added later', async () => {
  const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
  const series = body(
    await world.call('POST', eventsPath(account), { body: { title: 'Daily', start: NINE, recurrence } }),
    201,
  );
  refuseOneLook();
  const sent = { generateMeetingUrlProvider: 'hangoutsMeet' };
  const pending = body(await world.call('PUT', eventsPath(account, series.id), { body: sent }));
  expect(statusOf(pending)).toBe('pending');
  const read = body(await world.call('GET', eventsPath(account, series.id)));
  expect(read.conferenceData.joinUrl).toMatch(/^https:/);
  const second = body(await world.call('GET', eventsPath(account, `${series.id}_20260303T080000Z`)));
  expect(second.conferenceData).toEqual(read.conferenceData);
});

it('a meeting that Google fails to make leaves an event that says so, and is made when it is asked for again', async () => {
  world.sandbox.google.controls['failConferences']?.({ count: 1 });
  refuseOneLook();
  const wish = { title: 'Meeting', start: NINE, generateMeetingUrlProvider: 'hangoutsMeet' };
  const event = body(await world.call('POST', eventsPath(account), { body: wish }), 201);
  expect(statusOf(event)).toBe('pending');
  const read = body(await world.call('GET', eventsPath(account, event.id)));
  expect(statusOf(read)).toBe('failure');
  expect(read).not.toHaveProperty('generateMeetingUrlProvider');
  const again = { title: 'Renamed', generateMeetingUrlProvider: 'hangoutsMeet' };
  const made = body(await world.call('PUT', eventsPath(account, event.id), { body: again }));
  expect(made).toMatchObject({ ...again, conferenceData: { joinUrl: expect.stringMatching(/^https:/) } });
});
