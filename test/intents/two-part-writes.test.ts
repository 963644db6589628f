import { ProviderError } from 'kalends/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
  world.fake.put(CALENDAR, fakeEvent('a', { colorId: '1', myResponseStatus: 'needsAction' }, { isOrganizer: false }));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
});
afterEach(() => world.close());

const put = (body: object) => world.events.update(CALLER, ACCOUNT, CALENDAR, 'a', body);
const get = () => world.events.get(CALLER, ACCOUNT, CALENDAR, 'a');
const BOTH = { colorId: '2', myResponseStatus: 'accepted' };

function failAt(call: string, error: ProviderError): void {
  world.fake.switches.fail = (name) => (name === call ? error : undefined);
}

test('a change and an answer to the invitation are one write', async () => {
  const begun: string[] = [];
  const { intents } = world.storage;
  const { begin } = intents;
  Object.assign(intents, {
    begin: (...order: Parameters<typeof begin>) => {
      begun.push(order[0].kind);
      return begin(...order);
    },
  });
  expect(await put(BOTH)).toMatchObject(BOTH);
  expect(begun).toEqual(['update']);
});

test('when the second part is refused, the answer says that the first was done, and the mirror shows it', async () => {
  failAt('events.respond', new ProviderError('forbidden', 'not now'));
  await expect(put(BOTH)).rejects.toMatchObject({
    code: 'Forbidden',
    message: 'The first part of the change was made, the second was not: The provider refuses this: not now',
  });
  expect(await get()).toMatchObject({ colorId: '2', myResponseStatus: 'needsAction' });
  expect(await world.storage.intents.nextAbandonedAt()).toBeNull();
});

test('when the outcome of the second part is unknown, the state at the provider is mirrored', async () => {
  const { switches } = world.fake;
  switches.beforeAnswer = async (call) => {
    if (call === 'events.respond') throw new ProviderError('timeout', 'no answer');
  };
  await expect(put(BOTH)).rejects.toMatchObject({ code: 'ProviderTimeout', status: 504 });
  expect(await get()).toMatchObject(BOTH);
  expect(await world.storage.intents.nextAbandonedAt()).toBeNull();
});

test('when the first part is refused, nothing was done, and nothing says otherwise', async () => {
  failAt('events.update', new ProviderError('invalid', 'no such colour', { field: 'colorId' }));
  await expect(put(BOTH)).rejects.toMatchObject({ code: 'InvalidRequest', message: 'no such colour' });
  expect(world.fake.calls).not.toContain('events.respond');
  expect(await get()).toMatchObject({ colorId: '1', myResponseStatus: 'needsAction' });
});
