import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const MINUTE_MS = 60_000;

let world: SyncWorld;
let stop: () => Promise<void>;
beforeEach(async () => {
  world = await syncWorld();
  Object.assign(world.fake.provider.events, { callsPerPull: 2 });
  for (const id of ['a', 'b']) world.fake.put(CALENDAR, fakeEvent(id));
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  const stopping = new AbortController();
  const running = world.pulls.run(stopping.signal);
  stop = async () => {
    stopping.abort();
    await running;
  };
  await pass(MINUTE_MS);
  await world.mirror.pull(world.account, CALENDAR);
  world.fake.calls.length = 0;
});
afterEach(async () => {
  await stop();
  await world.close();
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    await world.clock.advance(Math.min(left, 1_000));
    for (let i = 0; i < 4; i++) await turn();
  }
}

async function push(named: readonly string[]): Promise<void> {
  if (named.length > 0) await world.storage.mirror.addRereads(KEY, named);
  await world.storage.schedule.hint(KEY, { isNamed: named.length > 0 });
  world.due.notify();
  await pass(1_000);
}

const mirrored = async (id: string) => {
  const [item] = await world.storage.mirror.findItems(KEY, [id]);
  return (item?.content as { readonly content: { readonly title: string } } | undefined)?.content.title;
};
const rename = (id: string, title: string) => {
  const event = fakeEvent(id);
  world.fake.put(CALENDAR, { ...event, content: { ...event.content!, title } });
};

describe('a push that names its events, at a provider whose feed takes several calls', () => {
  test('has only these read, and leaves the age of the mirror', async () => {
    const { syncedAt } = await world.storage.schedule.get(KEY);
    rename('a', 'Renamed');
    rename('b', 'Not named');
    await push(['a']);
    expect(world.fake.calls).toEqual(['events.get']);
    expect([await mirrored('a'), await mirrored('b')]).toEqual(['Renamed', fakeEvent('b').content?.title]);
    expect((await world.storage.schedule.get(KEY)).syncedAt).toBe(syncedAt);
  });

  test('puts no poll off', async () => {
    rename('b', 'Not named');
    for (let seconds = 0; seconds < 200; seconds += 20) {
      rename('a', `Renamed ${seconds}`);
      await push(['a']);
      await pass(19_000);
    }
    expect(await mirrored('b')).toBe('Not named');
  });

  test('is not enough where the age of the mirror is not known, as after the clock was set back', async () => {
    rename('b', 'Not named');
    const syncedAt = world.clock.now() + 60 * MINUTE_MS;
    await world.storage.schedule.finish(KEY, { syncedAt, failures: 0, dueAt: null });
    await push(['a']);
    expect(await mirrored('b')).toBe('Not named');
    expect((await world.storage.schedule.get(KEY)).syncedAt).toBeLessThanOrEqual(world.clock.now());
  });

  test('is not enough beside another push that names none', async () => {
    rename('a', 'Renamed');
    rename('b', 'Not named');
    await world.storage.mirror.addRereads(KEY, ['a']);
    await world.storage.schedule.hint(KEY);
    await push(['a']);
    expect([await mirrored('a'), await mirrored('b')]).toEqual(['Renamed', 'Not named']);
  });

  test('is not enough for a caller', async () => {
    rename('a', 'Renamed');
    rename('b', 'Not named');
    await world.storage.mirror.addRereads(KEY, ['a']);
    await world.storage.schedule.hint(KEY, { isNamed: true });
    world.due.notify();
    await world.mirror.pull(world.account, CALENDAR);
    expect(await mirrored('b')).toBe('Not named');
  });
});
