import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DistortedAnswers, distortedAnswers } from '../interface/distorted-answers.ts';
import { calendarsPath } from '../interface/steps.ts';
import { PROVIDERS, type World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

/*
 * A calendar that was set aside as unreadable stayed on the list of unreadable objects after a write of it, whose answer showed
 * it readable, and after its deletion. A write whose answer was unreadable was a calendar that is missing, at Graph.
 */
let world: World;
let answers: DistortedAnswers;
beforeEach(async () => {
  const intercepted = await createInterceptedWorld({ sync: { freshWithoutPushMs: 0.001, readWaitMs: 10_000 } });
  world = intercepted.world;
  answers = distortedAnswers();
  intercepted.network.intercept = answers.intercept;
});
afterEach(() => world.close());

describe.each(PROVIDERS)('a calendar of $provider that was set aside', ({ provider }) => {
  const stage = async () => {
    const { accountId, email } = await world.connect(provider);
    const list = calendarsPath(accountId);
    const id = (await world.call('POST', list, { body: { name: 'odd' } })).body.id as string;
    const path = calendarsPath(accountId, id);
    await world.call('GET', list);
    const distort = () =>
      answers.byId.set(id, (wire) => ({ ...wire, [provider === 'google' ? 'summary' : 'name']: {} }));
    const unreadable = async () =>
      (await world.call('GET', `/v1/endUserAccounts/${accountId}/unreadableObjects`)).body.data;
    const setAside = async () => {
      distort();
      const [at, body] =
        provider === 'google'
          ? [
              `/users/me/calendarList/${encodeURIComponent(id)}?colorRgbFormat=true`,
              { backgroundColor: '#123456', foregroundColor: '#ffffff' },
            ]
          : [`/me/calendars/${id}`, { name: 'odd' }];
      await world.atProvider(provider, email, 'PATCH', at as string, body);
      await world.call('GET', list);
      expect(await unreadable()).toMatchObject([{ kind: 'calendar', objectId: id }]);
      answers.byId.clear();
    };
    return { id, list, path, distort, setAside, unreadable };
  };

  it('leaves the list of unreadable objects with a write that shows it readable', async () => {
    const { path, setAside, unreadable } = await stage();
    await setAside();
    expect((await world.call('PUT', path, { body: { name: 'readable' } })).status).toBe(200);
    expect(await unreadable()).toEqual([]);
  });

  it('leaves the list of unreadable objects with its deletion', async () => {
    const { path, setAside, unreadable } = await stage();
    await setAside();
    expect((await world.call('DELETE', path)).status).toBe(200);
    expect(await unreadable()).toEqual([]);
  });

  it('is named by the failure of a write whose answer cannot be read, and by the next list', async () => {
    const { id, list, path, distort, unreadable } = await stage();
    distort();
    answers.distortsWrites = true;
    const { status, body } = await world.call('PUT', path, { body: { name: 'written' } });
    expect([status, body.code]).toEqual([502, 'ProviderError']);
    expect((await world.call('GET', list)).status).toBe(200);
    expect(await unreadable()).toMatchObject([{ kind: 'calendar', objectId: id }]);
  });
});
