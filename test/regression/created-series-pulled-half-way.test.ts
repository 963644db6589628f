import { afterEach, expect, it } from 'vitest';
import { movableClock } from '../interface/movable-clock.ts';
import { body, eventsPath } from '../interface/steps.ts';
import type { World } from '../interface/world.ts';
import { createInterceptedWorld, gate } from './intercepted-world.ts';

let world: World;
afterEach(() => world.close());

const RECURRENCE = ['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE:20260303T080000Z'];
const ZONE = 'Europe/Berlin';
const MINUTE_MS = 60_000;
const TIMES = {
  start: { dateTime: '2026-03-02T09:00:00', timeZone: ZONE },
  end: { dateTime: '2026-03-02T10:00:00', timeZone: ZONE },
};
const EXCLUDING = { title: 'Daily', ...TIMES, recurrence: RECURRENCE };

it('answers with the excluded dates of a new series that a pull met before Graph had removed them', async () => {
  const clock = movableClock();
  const intercepted = await createInterceptedWorld({ clock });
  world = intercepted.world;
  const account = await world.connect('microsoft');
  const list = async () => body(await world.call('GET', eventsPath(account))).data;
  await list();
  let pulledHalfWay = 0;
  let shownHalfWay = -1;
  intercepted.network.intercept = async (request, pass) => {
    if (request.method === 'DELETE') {
      pulledHalfWay += 1;
      clock.pass(MINUTE_MS);
      shownHalfWay = (await list()).length;
    }
    return await pass();
  };
  const created = await world.call('POST', eventsPath(account), { body: EXCLUDING });
  expect(pulledHalfWay).toBe(1);
  expect(shownHalfWay).toBe(0);
  expect(body(created, 201).recurrence).toEqual(RECURRENCE);
  clock.pass(MINUTE_MS);
  expect((await list()).map(({ recurrence }: { recurrence: string[] }) => recurrence)).toEqual([RECURRENCE]);
});

it('creates another event while a new series is half-way', async () => {
  const intercepted = await createInterceptedWorld();
  world = intercepted.world;
  const account = await world.connect('microsoft');
  body(await world.call('GET', eventsPath(account)));
  const reached = gate();
  const removal = gate();
  intercepted.network.intercept = async (request, pass) => {
    if (request.method === 'DELETE') {
      reached.open();
      await removal.opened;
    }
    return await pass();
  };
  const series = world.call('POST', eventsPath(account), { body: EXCLUDING });
  await reached.opened;
  const other = await world.call('POST', eventsPath(account), { body: { title: 'Lunch', ...TIMES } });
  removal.open();
  expect(body(other, 201).title).toBe('Lunch');
  expect(body(await series, 201).recurrence).toEqual(RECURRENCE);
});

it('changes an occurrence and splits a series while a new series is half-way', async () => {
  const intercepted = await createInterceptedWorld();
  world = intercepted.world;
  const account = await world.connect('microsoft');
  const weekly = { title: 'Weekly', ...TIMES, recurrence: ['RRULE:FREQ=DAILY;COUNT=8'] };
  const series = body(await world.call('POST', eventsPath(account), { body: weekly }), 201);
  const occurrence = (day: string) => eventsPath(account, `${series.id}_${day}T080000Z`);
  const reached = gate();
  const removal = gate();
  intercepted.network.intercept = async (request, pass) => {
    if (request.method === 'DELETE') {
      reached.open();
      await removal.opened;
    }
    return await pass();
  };
  const created = world.call('POST', eventsPath(account), { body: EXCLUDING });
  await reached.opened;
  const changed = await world.call('PUT', occurrence('20260303'), { body: { title: 'Changed' } });
  const split = await world.call('PUT', `${occurrence('20260306')}?scope=following`, { body: { title: 'Later' } });
  removal.open();
  expect(body(changed)).toMatchObject({ title: 'Changed', isException: true });
  expect(body(split)).toMatchObject({ title: 'Later', isRecurring: true });
  expect(body(await created, 201).recurrence).toEqual(RECURRENCE);
});
