import { afterEach, describe, expect, it } from 'vitest';
import { movableClock } from '../interface/movable-clock.ts';
import { body, type Connected, eventsPath, query } from '../interface/steps.ts';
import { type Json, PROVIDERS, type World } from '../interface/world.ts';
import { createInterceptedWorld, type Intercept } from './intercepted-world.ts';

let world: World;
afterEach(() => world.close());
const clock = movableClock();

const START = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
const WINDOW = {
  expandRecurrences: true,
  startDateTime: '2026-03-01T00:00:00Z',
  endDateTime: '2026-04-01T00:00:00Z',
  orderBy: 'startDateTime',
};

async function listed(at: Connected): Promise<string[]> {
  const { data } = body(await world.call('GET', eventsPath(at) + query(WINDOW)));
  return data.map(({ start, title }: Json) => `${start.dateTime.slice(8, 16)} ${title}`);
}

/** Turns the first reading away that comes after a series has been written to. */
function throttleOnceAfterPatch(): Intercept {
  let state: 'before' | 'patched' | 'throttled' = 'before';
  return async ({ method, url }, pass) => {
    if (method === 'PATCH' && /\/events\//.test(url) && state === 'before') state = 'patched';
    else if (method === 'GET' && /\/events/.test(url) && state === 'patched') {
      state = 'throttled';
      const error = { code: 'TooManyRequests', message: 'slow down' };
      return Response.json({ error }, { status: 429, headers: { 'retry-after': '60' } });
    }
    return await pass();
  };
}

describe.each(PROVIDERS)('when $provider will not show what it has done to a series', ({ provider }) => {
  async function series() {
    const made = await createInterceptedWorld({ clock });
    world = made.world;
    const at = await world.connect(provider);
    const daily = { title: 'Daily', start: START, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] };
    const { id } = body(await world.call('POST', eventsPath(at), { body: daily }), 201);
    const slot = (day: number) => eventsPath(at, `${id}_2026030${day}T080000Z`);
    body(await world.call('PUT', slot(6), { body: { title: 'Special' } }));
    body(await world.call('DELETE', slot(3)));
    made.network.intercept = throttleOnceAfterPatch();
    return { at, id, slot };
  }

  /** The next write waits for the rest of an edit. */
  const settled = (at: Connected, id: string) => {
    clock.pass(120_000);
    return expect
      .poll(async () => (await world.call('PUT', eventsPath(at, id), { body: { location: 'Room' } })).status, {
        timeout: 10_000,
      })
      .toBe(200);
  };

  it('a split keeps its later half', async () => {
    const { at, id, slot } = await series();
    const answer = await world.call('PUT', `${slot(5)}?scope=following`, { body: { title: 'Later' } });
    // A client sends a call again after 429.
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
    await settled(at, id);
    expect(await listed(at)).toEqual([
      '02T09:00 Daily',
      '04T09:00 Daily',
      '05T09:00 Later',
      '06T09:00 Special',
      '07T09:00 Later',
    ]);
  });

  it('a series that moves keeps its exceptions', async () => {
    const { at, id } = await series();
    const start = { ...START, dateTime: '2026-03-02T11:00:00' };
    const end = { ...START, dateTime: '2026-03-02T12:00:00' };
    await world.call('PUT', eventsPath(at, id), { body: { start, end } });
    await settled(at, id);
    expect(await listed(at)).toEqual([2, 4, 5, 6, 7].map((day) => `0${day}T11:00 ${day === 6 ? 'Special' : 'Daily'}`));
  });
});
