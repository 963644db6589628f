import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectCalDav, createSchedulingWorld } from '../interface/scheduling-world.ts';
import { body, type Connected, eventsPath } from '../interface/steps.ts';
import type { Json, World } from '../interface/world.ts';

let world: World;
let at: Connected;
const call = async (method: string, id: string | undefined, sent?: unknown, status = 200): Promise<Json> =>
  body(await world.call(method, eventsPath(at, id), sent === undefined ? {} : { body: sent }), status);
const guests = (...names: readonly string[]) => ({
  attendees: names.map((name) => ({ email: `${name}@else.example` })),
});
const shown = async (id: string): Promise<readonly string[]> =>
  (await call('GET', id)).attendees.map(({ email }: Json) => email.replace('@else.example', ''));

describe.each(['google', 'microsoft', 'caldav'] as const)('at %s an occurrence', (provider) => {
  beforeEach(async () => {
    world = await createSchedulingWorld();
    at = provider === 'caldav' ? await connectCalDav(world) : await world.connect(provider);
  });
  afterEach(() => world.close());

  it.each([
    { own: ['z'], later: ['q'] },
    { own: [], later: ['a', 'q'] },
    { own: ['a', 'z'], later: [] },
    { own: ['a', 'z'], later: ['q'] },
    { own: ['z'], later: ['z', 'q'] },
  ])('that has $own where its series had a keeps its guests when that gets $later', async ({ own, later }) => {
    const start = { dateTime: '2027-05-03T09:00:00', timeZone: 'Europe/Berlin' };
    const sent = { title: 'Series', start, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'], ...guests('a') };
    const { id } = await call('POST', undefined, sent, 201);
    const [second, third] = [`${id}_20270504T070000Z`, `${id}_20270505T070000Z`];
    await call('PUT', second, guests(...own));
    await call('PUT', third, { title: 'Third' });
    await call('PUT', id, guests(...later));
    expect([await shown(second), await shown(third)]).toEqual([own, later]);
  });
});
