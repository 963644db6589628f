import { manualClock } from '@kalends/conformance';
import { afterEach, expect, it } from 'vitest';
import { createDavWorld, fillDavMailbox } from '../distortion/caldav-mailbox.ts';
import { createImportWorld } from '../interface/imports/import-world.ts';
import { body, eventsPath, query } from '../interface/steps.ts';
import type { Json, World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

/** New York sets its clocks back at 06:00 UTC: it is half past one at 05:30, and again at 06:30. */
const SERIES = {
  title: 'watch',
  start: { dateTime: '2026-10-31T12:00:00', timeZone: 'America/New_York' },
  end: { dateTime: '2026-10-31T12:10:00', timeZone: 'America/New_York' },
  recurrence: ['RDATE:20261101T053000Z,20261101T063000Z,20261101T170000Z'],
};
const WINDOW = { startDateTime: '2026-10-30T00:00:00Z', endDateTime: '2026-11-03T00:00:00Z' };

async function watched(target: 'google' | 'caldav') {
  const made = await createImportWorld();
  world = made;
  const at = await made.connectTo(target);
  const { id } = body(await world.call('POST', eventsPath(at), { body: SERIES }), 201);
  const occurrence = (stamp: string) => eventsPath(at, `${id}_20261101T${stamp}00Z`);
  const list = async (more = {}): Promise<readonly Json[]> =>
    body(await world.call('GET', eventsPath(at) + query({ ...WINDOW, expandRecurrences: true, ...more }))).data;
  const shown = async () => {
    const starts = (await list()).map(
      ({ start, title }) => `${new Date(start.dateTime).toISOString().slice(8, 16)} ${title}`,
    );
    return starts.sort();
  };
  return { at, id, occurrence, list, shown };
}

it.each([
  ['google', '0530', '0630'],
  ['google', '0630', '0530'],
  ['caldav', '0530', '0630'],
  ['caldav', '0630', '0530'],
] as const)('%s: deleting the occurrence at %s leaves the one at %s', async (target, gone, left) => {
  const { at, occurrence, shown, list } = await watched(target);
  expect(await shown()).toHaveLength(4);
  body(await world.call('DELETE', occurrence(gone)));
  const time = (stamp: string) => `${stamp.slice(0, 2)}:${stamp.slice(2)}`;
  expect(await shown()).toEqual(['31T16:00 watch', `01T${time(left)} watch`, '01T17:00 watch'].sort());
  expect(body(await world.call('GET', occurrence(left)))).toMatchObject({ isCancelled: false });
  expect(body(await world.call('GET', occurrence(gone)))).toMatchObject({ isCancelled: true });
  const busy = body(
    await world.call('POST', `/v1/freeBusy/${at.accountId}`, {
      body: { ...WINDOW, timeZone: 'UTC', calendarIds: [at.calendarId] },
    }),
  );
  expect(busy[0].busySlots).toHaveLength(3);

  body(await world.call('DELETE', occurrence(left)));
  expect(await shown()).toEqual(['01T17:00 watch', '31T16:00 watch']);
  const cancelled = (await list({ isCancelled: true })).filter(({ isCancelled }) => isCancelled);
  expect(new Set(cancelled.map(({ id }) => id)).size).toBe(2);
});

it.each(['google', 'caldav'] as const)('%s: each of the two has a title of its own', async (target) => {
  const { occurrence, shown } = await watched(target);
  body(await world.call('PUT', occurrence('0630'), { body: { title: 'second' } }));
  expect(await shown()).toEqual(['01T05:30 watch', '01T06:30 second', '01T17:00 watch', '31T16:00 watch']);
  body(await world.call('PUT', occurrence('0530'), { body: { title: 'first' } }));
  expect(await shown()).toEqual(['01T05:30 first', '01T06:30 second', '01T17:00 watch', '31T16:00 watch']);
});

it.each(['google', 'caldav'] as const)('%s: both keep what they say when all of the series changes', async (target) => {
  const { at, id, occurrence, shown } = await watched(target);
  body(await world.call('PUT', occurrence('0530'), { body: { title: 'first' } }));
  body(await world.call('PUT', occurrence('0630'), { body: { title: 'second' } }));
  const recurrence = [...SERIES.recurrence, 'RDATE:20261102T170000Z'];
  body(await world.call('PUT', eventsPath(at, id), { body: { recurrence } }));
  const all = ['01T05:30 first', '01T06:30 second', '01T17:00 watch', '02T17:00 watch', '31T16:00 watch'];
  expect(await shown()).toEqual(all);
  // From the second on: the first stays with the old series.
  body(await world.call('DELETE', `${occurrence('1700')}?scope=following`));
  expect(await shown()).toEqual(['01T05:30 first', '01T06:30 second', '31T16:00 watch']);
});

it('of a local time that comes twice a CalDAV program means the first, and the second in UTC', async () => {
  const clock = manualClock(Date.UTC(2026, 9, 1));
  world = await createDavWorld({ clock, sync: { freshWithoutPushMs: 0.001 } }, (_request, pass) => pass());
  const mailbox = await fillDavMailbox(world, 0, []);
  const event = (title: string, ...lines: readonly string[]) =>
    ['BEGIN:VEVENT', 'UID:u', 'DTSTAMP:20261001T000000Z', `SUMMARY:${title}`, ...lines, 'END:VEVENT'].join('\r\n');
  const local = (name: string, time: string) => `${name};TZID=America/New_York:20261101T${time}00`;
  const hourly = event('hour', local('DTSTART', '0030'), local('DTEND', '0040'), 'RRULE:FREQ=HOURLY;COUNT=4');
  const first = event('first', local('RECURRENCE-ID', '0130'), local('DTSTART', '0130'), local('DTEND', '0140'));
  const second = event(
    'second',
    'RECURRENCE-ID:20261101T063000Z',
    'DTSTART:20261101T063000Z',
    'DTEND:20261101T064000Z',
  );
  const put = async (...events: readonly string[]) => {
    const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//t//EN', ...events, 'END:VCALENDAR', ''].join('\r\n');
    await mailbox.put(`${Buffer.from(mailbox.calendarId, 'base64url')}u.ics`, text);
    await clock.advance(1);
    const { body: list } = await world.call('GET', eventsPath(mailbox) + query({ ...WINDOW, expandRecurrences: true }));
    return list.data.map(
      ({ start, title }: Json) => `${new Date(start.dateTime).toISOString().slice(11, 16)} ${title}`,
    );
  };
  expect((await put(hourly, first)).sort()).toEqual(['04:30 hour', '05:30 first', '06:30 hour', '07:30 hour']);
  expect((await put(hourly, second)).sort()).toEqual(['04:30 hour', '05:30 hour', '06:30 second', '07:30 hour']);
  expect((await put(hourly, first, second)).sort()).toEqual([
    '04:30 hour',
    '05:30 first',
    '06:30 second',
    '07:30 hour',
  ]);
});
