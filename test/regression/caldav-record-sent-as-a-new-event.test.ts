import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CopyWorld, createCopyWorld, PROVIDER_NAMES } from '../copies/copy-world.ts';

let world: CopyWorld;
beforeAll(async () => {
  world = await createCopyWorld();
});
afterAll(() => world.close());

it.each(PROVIDER_NAMES)('%s takes a record that was read there as a new event', async (name) => {
  const { engine, caller } = world;
  const { accountId, calendarId } = await world.makePlace(name);
  const start = { dateTime: '2026-03-02T09:00:00', timeZone: 'Europe/Berlin' };
  const { id } = await engine.events.create(caller, accountId, calendarId, { title: 'Once', start });
  const read = await engine.events.get(caller, accountId, calendarId, id);
  const again = await engine.events.create(caller, accountId, calendarId, read);
  expect(again.id).not.toBe(id);
  expect(again).toMatchObject({ title: 'Once', start: read.start, end: read.end });
});
