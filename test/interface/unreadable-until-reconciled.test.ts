import { type ManualClock, manualClock } from '@kalends/conformance';
import { sqlite } from '@kalends/sqlite';
import type { Logger } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countingTraffic } from '../distortion/counting-traffic.ts';
import { createInterceptedWorld } from '../regression/intercepted-world.ts';
import { type DistortedAnswers, distortedAnswers } from './distorted-answers.ts';
import { eventsPath } from './steps.ts';
import { type Json, PROVIDERS, type World } from './world.ts';

const HOUR_MS = 3_600_000;
const TURN_MS = 5_000;
const MOST_TURNS = 10_000;

let world: World;
let answers: DistortedAnswers;
let clock: ManualClock;
let traffic: ReturnType<typeof countingTraffic>;
let reconciliations: number;
beforeEach(async () => {
  clock = manualClock(Date.UTC(2026, 0, 5));
  answers = distortedAnswers();
  traffic = countingTraffic(answers.intercept);
  reconciliations = 0;
  const info: Logger['info'] = (message) => {
    if (message === 'reconciliation') reconciliations += 1;
  };
  const logger: Logger = { debug: () => {}, info, warn: () => {}, error: () => {} };
  // Each background pull is followed by a reconciliation.
  const sync = { freshWithoutPushMs: 0.001, pollWithoutPushMs: HOUR_MS, reconcileEveryMs: 1, pushForReads: false };
  const storage = sqlite({ path: ':memory:', clock });
  const intercepted = await createInterceptedWorld({ clock, logger, sync, storage }, { clock });
  world = intercepted.world;
  intercepted.network.intercept = traffic.intercept;
});
afterEach(() => world.close());

async function pass(ms: number): Promise<void> {
  await clock.advance(ms);
  await traffic.quiet();
}

async function reconcile(): Promise<void> {
  const before = reconciliations;
  for (let turns = 0; reconciliations === before; turns += 1) {
    if (turns === MOST_TURNS) throw new Error('no reconciliation took place');
    await pass(TURN_MS);
  }
}

describe.each(PROVIDERS)('an unreadable object of $provider', ({ provider }) => {
  const stage = async () => {
    const account = await world.connect(provider);
    const { accountId, email, calendarId } = account;
    const path = eventsPath(account);
    const at = `${provider === 'google' ? '/calendars' : '/me/calendars'}/${encodeURIComponent(calendarId)}/events`;
    const create = async (title: string) => {
      const body = { title, start: { dateTime: '2026-03-02T09:00:00Z' } };
      return (await world.call('POST', path, { body })).body.id as string;
    };
    const setAside = async (id: string) => {
      answers.byId.set(id, (wire) => (wire.status === 'cancelled' ? wire : { ...wire, start: 7 }));
      const body = { [provider === 'google' ? 'summary' : 'subject']: 'changed' };
      await world.atProvider(provider, email, 'PATCH', `${at}/${id}`, body);
    };
    const shown = async () => {
      await pass(1);
      const { body: list } = await world.call('GET', path);
      const { body: health } = await world.call('GET', `/v1/endUserAccounts/${accountId}/unreadableObjects`);
      return {
        titles: list.data.map(({ title }: Json) => title).sort(),
        unreadable: health.data.map(({ objectId }: Json) => objectId),
      };
    };
    return {
      create,
      setAside,
      shown,
      remove: (id: string) => world.atProvider(provider, email, 'DELETE', `${at}/${id}`),
    };
  };

  it('stays on the list until a reconciliation reads it, when the provider does not report it', async () => {
    const { create, setAside, shown } = await stage();
    const odd = await create('odd');
    await create('good');
    await setAside(odd);
    expect(await shown()).toEqual({ titles: ['good', 'odd'], unreadable: [odd] });
    await reconcile();
    // Graph lists what changed in the minute before the latest known change again.
    await create('later');
    expect(await shown()).toEqual({ titles: ['good', 'later', 'odd'], unreadable: [odd] });

    answers.byId.clear();
    expect(await shown()).toEqual({ titles: ['good', 'later', 'odd'], unreadable: [odd] });
    await reconcile();
    expect(await shown()).toEqual({ titles: ['changed', 'good', 'later'], unreadable: [] });
  }, 60_000);

  it('leaves the list, and the calendar, once it is deleted', async () => {
    const { create, setAside, shown, remove } = await stage();
    const odd = await create('odd');
    await create('good');
    await setAside(odd);
    expect((await shown()).unreadable).toEqual([odd]);
    await remove(odd);
    expect(await shown()).toEqual({ titles: ['good'], unreadable: [] });
  });
});
