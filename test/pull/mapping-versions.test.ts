import { ProviderError } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listKeyOf } from '../../src/mirror/index.ts';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

/** Two processes whose versions read the provider's events in different ways work on one database. */

const LIST = listKeyOf(KEY);
const MINUTE_MS = 60_000;

let world: SyncWorld;
let stopping: AbortController;
let running: Promise<void> | undefined;
beforeEach(async () => {
  stopping = new AbortController();
  running = undefined;
  world = await syncWorld();
  const { events } = world.fake.provider;
  const { pull: pullEvents } = events;
  Object.assign(events, {
    async *pull(...args: Parameters<typeof pullEvents>) {
      for await (const page of pullEvents(...args)) {
        const changes = page.changes.map((change) => {
          if (change.kind !== 'event' || change.event.content === null) return change;
          const title = `${change.event.providerEventId} as read by ${world.fake.provider.mappingVersion}`;
          return { ...change, event: { ...change.event, content: { ...change.event.content, title } } };
        });
        yield { ...page, changes };
      }
    },
  });
  world.fake.switches.pageSize = 1;
  for (const id of ['a', 'b']) world.fake.put(CALENDAR, fakeEvent(id));
  runVersion(2);
  await titles();
});
afterEach(async () => {
  stopping.abort();
  await running;
  await world.close();
});

/** From now on, the process reads with this version of the mapping. */
const runVersion = (mappingVersion: number) => Object.assign(world.fake.provider, { mappingVersion });
const pull = () => world.mirror.pull(world.account, CALENDAR);
const titles = async () => {
  const { data } = await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  return data.map((event) => 'title' in event && event.title).sort();
};
const readBy = (...versions: readonly number[]) => versions.map((version, at) => `${'ab'[at]} as read by ${version}`);

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
async function runInBackground(ms: number): Promise<void> {
  running ??= world.pulls.run(stopping.signal);
  for (let left = ms; left > 0; left -= 1_000) {
    await world.clock.advance(Math.min(left, 1_000));
    for (let i = 0; i < 8; i++) await turn();
  }
}

/** Stops the next full pass behind its first page. */
async function cutShort(work: () => Promise<unknown>): Promise<void> {
  world.fake.switches.fail = (call) =>
    call === 'events.pull.page' ? new ProviderError('unavailable', 'down') : undefined;
  await expect(work()).rejects.toThrow();
  world.fake.switches.fail = undefined;
}

describe('a full pass of an earlier version that is cut short', () => {
  /** As 0.1.0 does: it passes in full whatever version the resume point is of, and leaves that until its end. */
  async function passHalfAsEarlier(): Promise<void> {
    const { mirror } = world.storage;
    await mirror.startSweep(KEY);
    const [item] = await mirror.findItems(KEY, ['a']);
    const content = item?.content as { readonly content: object };
    const title = 'a as read by 1';
    const write = { itemId: 'a', groupId: 'a', content: { ...content, content: { ...content.content, title } } };
    const read = { etag: 'of 1', providerTag: null, mappingVersion: 1, rangeStart: null, rangeEnd: null };
    const part = { basedOn: 0, at: world.clock.now(), tag: 'tag' };
    await mirror.commit(KEY, { ...part, writes: [{ ...write, ...read, force: true }] });
  }

  test('is repaired within minutes by the version that had read the calendar', async () => {
    await passHalfAsEarlier();
    expect(await titles()).toEqual(readBy(1, 2));
    await runInBackground(10 * MINUTE_MS);
    expect(await titles()).toEqual(readBy(2, 2));
    world.fake.calls.length = 0;
    await runInBackground(10 * MINUTE_MS);
    expect(world.fake.calls).not.toContain('events.pull.page');
  });

  test('of the calendar list has the list read in full', async () => {
    const { mirror } = world.storage;
    const read = await mirror.findItem(LIST, CALENDAR);
    await mirror.startSweep(LIST);
    const { content, ...item } = read!;
    const write = {
      ...item,
      content: { ...(content as object), name: 'As read by 1' },
      etag: 'of 1',
      mappingVersion: 1,
    };
    const part = { basedOn: 0, at: world.clock.now(), tag: 'tag' };
    const range = { rangeStart: null, rangeEnd: null };
    await mirror.commit(LIST, { ...part, writes: [{ ...write, ...range, force: true }] });
    await world.mirror.pull(world.account, null);
    expect((await mirror.findItem(LIST, CALENDAR))?.content).toEqual(content);
  });
});

describe('a full pass of a later version', () => {
  test('that is cut short is begun anew, announces no gap, and meanwhile the earlier version leaves the calendar alone', async () => {
    runVersion(3);
    await cutShort(pull);
    const enqueued = world.enqueued();
    runVersion(2);
    await expect(pull()).rejects.toMatchObject({ code: 'CalendarSyncing', retryAfterMs: expect.any(Number) });
    runVersion(3);
    await world.clock.advance(MINUTE_MS);
    await pull();
    expect(await titles()).toEqual(readBy(3, 3));
    // The other half changed, and nothing else was told.
    expect(world.enqueued()).toBe(enqueued + 1);
    world.fake.calls.length = 0;
    await pull();
    expect(world.fake.calls).toEqual(['events.pull']);
  });
});

describe('a mirror that a later version keeps', () => {
  beforeEach(async () => {
    runVersion(3);
    await pull();
    await world.mirror.pull(world.account, null);
    runVersion(2);
    world.fake.calls.length = 0;
    world.warnings.length = 0;
  });

  test('is left alone by the earlier version, which answers reads from it', async () => {
    await world.clock.advance(60 * MINUTE_MS);
    expect(await titles()).toEqual(readBy(3, 3));
    await world.storage.schedule.hint(KEY);
    expect(await titles()).toEqual(readBy(3, 3));
    await runInBackground(10 * MINUTE_MS);
    await expect(world.mirror.pull(world.account, null)).rejects.toMatchObject({ code: 'CalendarSyncing' });
    expect(world.fake.calls).toEqual([]);
    expect(await titles()).toEqual(readBy(3, 3));
  });

  test('stays due soon, with the hints that it has, and does not count as failing', async () => {
    const before = await world.storage.schedule.get(KEY);
    const hintSeq = await world.storage.schedule.hint(KEY);
    await runInBackground(1_000);
    const after = await world.storage.schedule.get(KEY);
    expect(after).toMatchObject({ hintSeq, clearedHintSeq: before.clearedHintSeq, failures: 0 });
    expect(after.dueAt).toBeGreaterThan(world.clock.now());
    expect(after.dueAt).toBeLessThanOrEqual(world.clock.now() + MINUTE_MS);
    runVersion(3);
    await runInBackground(MINUTE_MS);
    expect((await world.storage.schedule.get(KEY)).clearedHintSeq).toBe(hintSeq);
  });

  test('is not polled for ever where a read alone asked for it', async () => {
    await world.storage.schedule.finish(KEY, { dueAt: null, failures: 0 });
    await expect(pull()).rejects.toMatchObject({ code: 'CalendarSyncing' });
    expect((await world.storage.schedule.get(KEY)).dueAt).toBeNull();
  });

  test('is told of in the log, once an hour', async () => {
    await runInBackground(10 * MINUTE_MS);
    expect(world.warnings).toEqual([expect.stringContaining('newer version')]);
    await world.clock.advance(60 * MINUTE_MS);
    await runInBackground(MINUTE_MS);
    expect(world.warnings).toHaveLength(2);
  });
});
