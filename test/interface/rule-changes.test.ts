import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movableClock } from './movable-clock.ts';
import { body, type Connected, eventsPath, query } from './steps.ts';
import { createWorld, type Json, type World } from './world.ts';

const MINUTE_MS = 60_000;
const clock = movableClock();
let world: World;
let account: Connected;
beforeAll(async () => {
  world = await createWorld({ clock });
  account = await world.connect('google');
});
afterAll(() => world.close());

const NINE = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };

describe.each(['cancelled', 'orphaned', 'dropped'])('exceptions that Google leaves %s by a new rule', (fate) => {
  it('are there where their slot is, and nowhere else', async () => {
    world.sandbox.google.controls['setExceptionFate']?.({ fate });
    const daily = { title: 'Daily', start: NINE, recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] };
    const { id } = body(await world.call('POST', eventsPath(account), { body: daily }), 201);
    const at = (day: number) => eventsPath(account, `${id}_2026030${day}T080000Z`);
    for (const day of [3, 4]) body(await world.call('PUT', at(day), { body: { title: `Special ${day}` } }));
    body(await world.call('DELETE', at(6)));
    const recurrence = ['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=3'];
    body(await world.call('PUT', eventsPath(account, id), { body: { recurrence } }));
    const window = { startDateTime: '2026-03-01T00:00:00Z', endDateTime: '2026-04-01T00:00:00Z' };
    const list = async () => {
      const asked = query({ ...window, orderBy: 'startDateTime' });
      const { data } = body(await world.call('GET', `${eventsPath(account, id)}/occurrences${asked}`));
      return data.map(({ start, title }: Json) => `${start.dateTime.slice(8, 10)} ${title}`);
    };
    expect(await list()).toEqual(['02 Daily', '04 Special 4']);
    clock.pass(MINUTE_MS);
    expect(await list()).toEqual(['02 Daily', '04 Special 4']);
    body(await world.call('DELETE', eventsPath(account, id)));
  });
});
