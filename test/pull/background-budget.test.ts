import { ProviderError } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { fakeCalendar } from '../mirror/fake-provider.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type Services, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

let world: SyncWorld;
let stops: (() => Promise<void>)[];
beforeEach(async () => {
  world = await syncWorld({ reconcileEveryMs: 600_000, pollWithoutPushMs: 60_000 });
  world.fake.put(CALENDAR, fakeEvent('a'));
  world.fake.put(CALENDAR, fakeEvent('b'));
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await world.close();
});

const list = (calendarId = CALENDAR) => world.events.list(CALLER, ACCOUNT, calendarId, {});
const mirrored = async () => {
  const { revision } = (await world.storage.mirror.find(KEY))!;
  return await world.storage.mirror.listGroups(KEY, { asOf: revision, limit: 10 });
};
const count = (name: string) => world.fake.calls.filter((call) => call === name).length;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function start({ pulls }: Pick<Services, 'pulls'>): void {
  const stopping = new AbortController();
  const running = pulls.run(stopping.signal);
  stops.push(async () => {
    stopping.abort();
    await running;
  });
}

/** Lets virtual time pass, leaving the workers room after each second. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    await world.clock.advance(Math.min(left, 1_000));
    for (let i = 0; i < 6; i++) await turn();
  }
}

/** Offers the tags of single events and masters, as a provider does whose full pull is dear. */
function offerTags(): void {
  const { events } = world.fake.provider;
  Object.assign(events, {
    async *listTags() {
      await world.fake.switches.beforeAnswer?.('events.listTags');
      world.fake.calls.push('events.listTags');
      const own = [...world.fake.events(CALENDAR).values()].filter(({ seriesId }) => seriesId === null);
      yield own.map(({ providerEventId, providerTag }) => ({ providerEventId, providerTag }));
    },
  });
}

describe('the reconciliation by tags', () => {
  const fullPulls = () => count('events.get');

  test('reads only what has another tag, and confirms what is gone', async () => {
    world.fake.put(CALENDAR, fakeEvent('c'));
    await list();
    offerTags();
    start(world);
    const changed = { ...fakeEvent('b'), providerTag: 'another' };
    world.fake.events(CALENDAR).set('b', { ...changed, content: { ...changed.content!, title: 'Quietly renamed' } });
    world.fake.events(CALENDAR).set('d', { ...fakeEvent('d'), providerTag: 'new' });
    world.fake.events(CALENDAR).delete('a');
    const pulls = fullPulls();
    await pass(700_000);
    expect(count('events.listTags')).toBe(1);
    expect(await mirrored()).toEqual(['b', 'c', 'd']);
    expect((await world.events.get(CALLER, ACCOUNT, CALENDAR, 'b')).title).toBe('Quietly renamed');
    // One call for each event that changed, came or went; none for c.
    expect(fullPulls() - pulls).toBe(3);
  });

  test('runs once per interval, keeps the resume point, and writes nothing when nothing differs', async () => {
    await list();
    offerTags();
    start(world);
    const { revision } = (await world.storage.mirror.find(KEY))!;
    await pass(2_000_000);
    expect(count('events.listTags')).toBeGreaterThanOrEqual(2);
    expect(count('events.listTags')).toBeLessThanOrEqual(3);
    expect((await world.storage.mirror.find(KEY))!.revision).toBe(revision);
    world.fake.put(CALENDAR, fakeEvent('later'));
    await world.mirror.pull(world.account, CALENDAR);
    expect(await mirrored()).toEqual(['a', 'b', 'later']);
  });
});

test('a calendar of many pages is reconciled less often', async () => {
  world.fake.switches.pageSize = 1;
  for (const id of ['c', 'd']) world.fake.put(CALENDAR, fakeEvent(id));
  await list();
  start(world);
  world.fake.events(CALENDAR).delete('a');
  // Four pages: four intervals of ten minutes.
  await pass(2_300_000);
  expect(await mirrored()).toEqual(['a', 'b', 'c', 'd']);
  await pass(300_000);
  expect(await mirrored()).toEqual(['b', 'c', 'd']);
});

describe('the reconciliation', () => {
  test('finds changes that no incremental feed reports, once per interval, and writes nothing else', async () => {
    await list();
    start(world);
    world.fake.events(CALENDAR).delete('a');
    await pass(300_000);
    expect(await mirrored()).toEqual(['a', 'b']);
    await pass(400_000);
    expect(await mirrored()).toEqual(['b']);
    const { revision } = (await world.storage.mirror.find(KEY))!;
    await pass(1_300_000);
    expect((await world.storage.mirror.find(KEY))!.revision).toBe(revision);
  });

  test('delays no reader, and undoes no change that arrives meanwhile', async () => {
    await list();
    start(world);
    await pass(500_000);
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let listings = 0;
    const { pull } = world.fake.provider.events;
    Object.assign(world.fake.provider.events, {
      async *pull(...args: Parameters<typeof pull>) {
        for await (const page of pull(...args)) {
          if (args[2] === null) {
            listings++;
            await gate;
          }
          yield page;
        }
      },
    });
    await pass(200_000);
    expect(listings).toBe(1);
    world.fake.put(CALENDAR, fakeEvent('c'));
    world.fake.remove(CALENDAR, 'a');
    await world.mirror.pull(world.account, CALENDAR);
    expect(await mirrored()).toEqual(['b', 'c']);
    await expect(world.events.get(CALLER, ACCOUNT, CALENDAR, 'nobody')).rejects.toMatchObject({ code: 'NotFound' });
    open();
    await pass(1_000);
    expect(await mirrored()).toEqual(['b', 'c']);
    await world.mirror.pull(world.account, CALENDAR);
    expect(await mirrored()).toEqual(['b', 'c']);
  });

  test('is retried much later when it fails, and fails no pull', async () => {
    await list();
    start(world);
    await pass(500_000);
    let checks = 0;
    world.fake.events(CALENDAR).delete('a');
    world.fake.switches.fail = (call) => {
      if (call !== 'events.get') return undefined;
      checks++;
      return new ProviderError('malformed', 'nonsense');
    };
    await pass(600_000);
    expect(checks).toBe(1);
    expect(await world.storage.schedule.get(KEY)).toMatchObject({ failures: 0 });
    expect(await mirrored()).toEqual(['a', 'b']);
  });
});

describe('an account that the provider throttles', () => {
  const throttle = (retryAfterMs: number) => {
    world.fake.switches.fail = () => new ProviderError('rate-limited', 'slow down', { retryAfterMs });
  };

  test('is not pulled by any process until its cool-down ends', async () => {
    for (const id of ['c1', 'c2', 'c3', 'c4', 'c5']) world.fake.putCalendar(fakeCalendar(id));
    for (const id of [CALENDAR, 'c1', 'c2', 'c3', 'c4', 'c5']) await list(id);
    start(world);
    start(world.peer());
    throttle(300_000);
    await pass(90_000);
    const throttled = world.fake.calls.length;
    await pass(200_000);
    expect(world.fake.calls.length).toBe(throttled);
    world.fake.switches.fail = undefined;
    await pass(120_000);
    expect(world.fake.calls.length).toBeGreaterThan(throttled + 5);
  });

  test('cools down after a throttled read too, and reads go on', async () => {
    await list();
    start(world);
    throttle(200_000);
    await world.clock.advance(31_000);
    expect((await list()).data).toHaveLength(2);
    const { length } = world.fake.calls;
    await pass(150_000);
    expect(world.fake.calls).toHaveLength(length);
    expect((await list()).data).toHaveLength(2);
  });

  test('is not pulled by a process that starts during the cool-down, for any caller', async () => {
    await list();
    throttle(200_000);
    await world.clock.advance(31_000);
    await list();
    const { length } = world.fake.calls;
    const restarted = world.peer();
    const page = await restarted.events.list(CALLER, ACCOUNT, CALENDAR, {});
    expect(page.data).toHaveLength(2);
    await expect(restarted.mirror.pull(world.account, CALENDAR)).rejects.toMatchObject({
      code: 'RateLimited',
      retryAfterMs: 200_000,
    });
    start(restarted);
    await pass(190_000);
    expect(world.fake.calls).toHaveLength(length);
    world.fake.switches.fail = undefined;
    await pass(60_000);
    expect(world.fake.calls.length).toBeGreaterThan(length);
  });

  test('is polled less often for a while', async () => {
    await list();
    start(world);
    await pass(1_200_000);
    const usual = count('events.pull');
    throttle(1_000);
    await list();
    await pass(65_000);
    world.fake.switches.fail = undefined;
    const before = count('events.pull');
    await pass(1_200_000);
    expect(count('events.pull') - before).toBeLessThan(usual * 0.7);
  });
});
