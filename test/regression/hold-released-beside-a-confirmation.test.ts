import { sqlite } from '@kalends/sqlite';
import type { HoldStore } from 'kalends/ports';
import { afterEach, expect, test } from 'vitest';
import { body, expectProblem } from '../interface/steps.ts';
import { createWorld, type Json, type World } from '../interface/world.ts';

let world: World;
afterEach(() => world.close());

/** A world in which something happens between the moment in which a deletion has read a hold and its removal. */
async function holdOf(meanwhile: (holds: HoldStore, hold: Json) => Promise<unknown>): Promise<Json> {
  const storage = sqlite({ path: ':memory:' });
  let hold: Json | undefined;
  const remove: HoldStore['remove'] = async (...args) => {
    const given = hold;
    hold = undefined;
    if (given !== undefined) await meanwhile(storage.holds, given);
    return await storage.holds.remove(...args);
  };
  world = await createWorld({ storage: { ...storage, holds: { ...storage.holds, remove } } }, { background: false });
  const { accountId, calendarId } = await world.connect('google');
  const times = { startDateTime: '2100-03-02T09:00:00', endDateTime: '2100-03-02T10:00:00', timeZone: 'UTC' };
  const asked = { participants: [{ endUserAccountId: accountId, calendarIds: [calendarId] }], ...times };
  hold = body(await world.call('POST', '/v1/holds', { body: asked }), 201);
  return hold;
}
const statusOf = async ({ id }: Json) => body(await world.call('GET', `/v1/holds/${id}`)).status;

test('a hold that is booked while it is released says so', async () => {
  const hold = await holdOf(async (_, { id }) => {
    const confirmation = { body: { event: { title: 'Advice' } } };
    body(await world.call('POST', `/v1/holds/${id}/confirm`, confirmation), 201);
  });
  expectProblem(await world.call('DELETE', `/v1/holds/${hold['id']}`), 409, 'Conflict');
  expect(await statusOf(hold)).toBe('booked');
});

test('a hold whose confirmation begins while it is released says so', async () => {
  const hold = await holdOf(async (holds, { id }) => {
    const begins = {
      bodyHash: 'x',
      writeTo: 'organizer',
      notifyAttendees: null,
      ttlMs: 60_000,
      keptMs: 60_000,
    } as const;
    expect(await holds.beginConfirmation(world.applicationId, id, begins)).toMatchObject({ kind: 'begun' });
  });
  expectProblem(await world.call('DELETE', `/v1/holds/${hold['id']}`), 409, 'Conflict');
  expect(await statusOf(hold)).toBe('confirming');
});

test('a hold that is released by two requests is gone for the later one', async () => {
  const hold = await holdOf(async (_, { id }) => {
    body(await world.call('DELETE', `/v1/holds/${id}`));
  });
  expectProblem(await world.call('DELETE', `/v1/holds/${hold['id']}`), 404, 'NotFound');
});
