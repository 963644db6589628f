import { afterEach, expect, it } from 'vitest';
import { body, eventsPath } from '../interface/steps.ts';
import { createWorld, PROVIDERS, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

const point = (dateTime: string, timeZone: string) => ({ dateTime, timeZone });
const TOKYO = {
  start: point('2026-03-26T20:00:00+09:00', 'Asia/Tokyo'),
  end: point('2026-03-26T21:00:00+09:00', 'Asia/Tokyo'),
};

/** Graph says the zone of the series of each occurrence, whatever zone its times were written in. */
it.each(PROVIDERS)('$provider: an occurrence has the zone that it was given', async ({ provider }) => {
  world = await createWorld();
  const at = await world.connect(provider);
  const sent = {
    title: 's',
    start: point('2026-03-23T09:00:00', 'Europe/Berlin'),
    end: point('2026-03-23T10:00:00', 'Europe/Berlin'),
    recurrence: ['RRULE:FREQ=DAILY;INTERVAL=3;COUNT=4'],
  };
  const { id } = body(await world.call('POST', eventsPath(at), { body: sent }), 201);
  const path = eventsPath(at, `${id}_20260326T080000Z`);
  const put = async (change: object) => body(await world.call('PUT', path, { body: change }));
  expect(await put(TOKYO)).toMatchObject(TOKYO);
  expect(await put({ title: 'mine' })).toMatchObject({ title: 'mine', ...TOKYO });
  expect(body(await world.call('PUT', eventsPath(at, id), { body: { location: 'X' } }))).toMatchObject({
    start: { timeZone: 'Europe/Berlin' },
  });
  expect(body(await world.call('GET', path))).toMatchObject({ title: 'mine', location: 'X', ...TOKYO });
  // The same instant in another zone.
  const berlin = {
    start: point('2026-03-26T12:00:00+01:00', 'Europe/Berlin'),
    end: point('2026-03-26T13:00:00+01:00', 'Europe/Berlin'),
  };
  expect(await put(berlin)).toMatchObject(berlin);
  expect(await put(TOKYO)).toMatchObject(TOKYO);
});

it('an occurrence that Outlook has moved is in the zone that Outlook says', async () => {
  world = await createWorld();
  const at = await world.connect('microsoft');
  const sent = {
    title: 's',
    start: point('2026-03-23T09:00:00', 'Europe/Berlin'),
    end: point('2026-03-23T10:00:00', 'Europe/Berlin'),
    recurrence: ['RRULE:FREQ=DAILY;INTERVAL=3;COUNT=4'],
  };
  const { id } = body(await world.call('POST', eventsPath(at), { body: sent }), 201);
  const path = eventsPath(at, `${id}_20260326T080000Z`);
  body(await world.call('PUT', path, { body: TOKYO }));
  const graph = (method: string, rest: string, sent?: object) =>
    world.atProvider('microsoft', at.email, method, `/me/events/${rest}`, sent);
  const window = 'startDateTime=2026-03-26T00:00:00Z&endDateTime=2026-03-27T00:00:00Z';
  const [instance] = (await graph('GET', `${id}/instances?${window}`)).value;
  const there = { start: point('2026-03-26T14:00:00', 'UTC'), end: point('2026-03-26T15:00:00', 'UTC') };
  await graph('PATCH', instance.id, there);
  // A read of an unknown event pulls.
  await world.call('GET', eventsPath(at, 'nothing'));
  expect(body(await world.call('GET', path))).toMatchObject({
    start: point('2026-03-26T15:00:00+01:00', 'Europe/Berlin'),
    end: point('2026-03-26T16:00:00+01:00', 'Europe/Berlin'),
  });
});
