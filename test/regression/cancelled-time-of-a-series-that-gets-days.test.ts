import { afterEach, expect, it } from 'vitest';
import { eventsPath, query } from '../interface/steps.ts';
import { createWorld, type Json, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

const day = (date: string) => ({ date, dateTime: null, timeZone: null });
const time = (at: string) => ({ date: null, dateTime: at, timeZone: 'Europe/Berlin' });
const DAYS = { start: day('2026-03-02'), end: day('2026-03-03') };
const TIMES = { start: time('2026-03-02T09:00:00'), end: time('2026-03-02T10:00:00') };

it.each([
  ['times', 'days', TIMES, DAYS, '_20260304T080000Z'],
  ['days', 'times', DAYS, TIMES, '_20260304'],
] as const)('Google shows the cancelled day of a series of %s that becomes one of %s there', async (_f, _t, from, to, slot) => {
  world = await createWorld({ sync: { freshWithoutPushMs: 0.001 } });
  const at = await world.connect('google');
  const path = `/calendars/${encodeURIComponent(at.calendarId)}/events`;
  const atGoogle = (method: string, under: string, sent?: object): Promise<Json> =>
    world.atProvider('google', at.email, method, path + under, sent);
  const { id } = await atGoogle('POST', '', { summary: 's', recurrence: ['RRULE:FREQ=DAILY;COUNT=5'], ...from });
  const window = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-03-10T00:00:00Z' };
  const listed = async (more: object): Promise<readonly Json[]> =>
    (await world.call('GET', eventsPath(at) + query({ ...window, ...more }))).body.data;
  const shown = async () =>
    (await listed({ expandRecurrences: true })).map(({ start }) => start.dateTime.slice(8, 10)).sort();
  const busyDays = async () => {
    const sent = { ...window, timeZone: 'Europe/Berlin', calendarIds: [at.calendarId] };
    const [{ busySlots }] = (await world.call('POST', `/v1/freeBusy/${at.accountId}`, { body: sent })).body;
    const lengths = busySlots.map(({ start, end }: Json) => Date.parse(end.dateTime) - Date.parse(start.dateTime));
    return lengths.reduce((sum: number, length: number) => sum + length, 0);
  };
  expect(await shown()).toEqual(['02', '03', '04', '05', '06']);
  await atGoogle('DELETE', `/${id}${slot}`);
  expect(await shown()).toEqual(['02', '03', '05', '06']);
  const fourSlots = await busyDays();
  expect((await listed({})).filter(({ isCancelled }) => isCancelled)).toHaveLength(1);

  await atGoogle('PATCH', `/${id}`, to);
  const range = 'timeMin=2026-03-01T00:00:00Z&timeMax=2026-03-10T00:00:00Z';
  const { items } = await atGoogle('GET', `?singleEvents=true&${range}`);
  expect(await shown()).toEqual(items.map(({ start }: Json) => (start.date ?? start.dateTime).slice(8, 10)).sort());
  expect(await shown()).toContain('04');
  expect((await listed({})).filter(({ isCancelled }) => isCancelled)).toEqual([]);
  const hours = 3_600_000;
  expect([fourSlots, await busyDays()].map((ms) => ms / hours)).toEqual(from === TIMES ? [4, 120] : [96, 5]);
});
