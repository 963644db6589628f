import { sqlite } from '@kalends/sqlite';
import type { Logger } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DistortedAnswers, distortedAnswers } from '../interface/distorted-answers.ts';
import { type MovableClock, movableClock } from '../interface/movable-clock.ts';
import { calendarsPath, eventsPath } from '../interface/steps.ts';
import { type Json, PROVIDERS, type World } from '../interface/world.ts';
import { createInterceptedWorld } from './intercepted-world.ts';

/*
 * A provider that answered the read of one object with something other than an object (null, a list) stopped the whole pull,
 * the full resync and the reconciliation of the calendar, as often as they were tried: the answer counted as malformed.
 */
let world: World;
let answers: DistortedAnswers;
let clock: MovableClock;
let warnings: string[];
beforeEach(async () => {
  clock = movableClock();
  warnings = [];
  const note = (message: string) => void warnings.push(message);
  const logger: Logger = { debug: () => {}, info: () => {}, warn: note, error: note };
  const storage = sqlite({ path: ':memory:', clock });
  const sync = { freshWithoutPushMs: 0.001, readWaitMs: 10_000 };
  const intercepted = await createInterceptedWorld({ clock, logger, sync, storage }, { clock });
  world = intercepted.world;
  answers = distortedAnswers();
  intercepted.network.intercept = answers.intercept;
});
afterEach(() => world.close());

describe.each(PROVIDERS)('nonsense for an object of $provider', ({ provider }) => {
  it.each([[null], [[]], [7], [{}], ['x']])('%j costs no other event of a full resync', async (nonsense) => {
    const account = await world.connect(provider);
    const path = eventsPath(account);
    const create = async (title: string) => {
      const body = { title, start: { dateTime: '2026-03-02T09:00:00Z' } };
      return (await world.call('POST', path, { body })).body.id as string;
    };
    const odd = await create('odd');
    await create('good');
    await world.call('GET', path);
    answers.byId.set(odd, () => nonsense);
    world.sandbox[provider].controls[provider === 'google' ? 'expireSyncTokens' : 'expireDeltaTokens']?.({});
    await create('new');
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await world.call('GET', path);
      expect([status, body.data?.map(({ title }: Json) => title).sort()]).toEqual([200, ['good', 'new', 'odd']]);
    }
    const { body } = await world.call('GET', `/v1/endUserAccounts/${account.accountId}/unreadableObjects`);
    expect(body.data.map(({ objectId }: Json) => objectId)).toContain(odd);
  });

  it.each([[null], [[]], [7], [{ deleted: 'x' }]])('%j costs no other calendar', async (nonsense) => {
    const account = await world.connect(provider);
    const path = calendarsPath(account.accountId);
    const odd = (await world.call('POST', path, { body: { name: 'Odd' } })).body.id as string;
    await world.call('GET', path);
    answers.byId.set(odd, () => nonsense);
    // The list is read in full once a day.
    clock.pass(86_400_000);
    const [at, made] =
      provider === 'google' ? ['/calendars', { summary: 'Good' }] : ['/me/calendars', { name: 'Good' }];
    await world.atProvider(provider, account.email, 'POST', at as string, made);
    const { status, body } = await world.call('GET', path);
    const names = body.data?.filter(({ isPrimary }: Json) => !isPrimary).map(({ name }: Json) => name);
    expect([status, names.sort()]).toEqual([200, ['Good', 'Odd']]);
    expect(new Set(warnings)).toEqual(new Set(['object set aside']));
  });
});
