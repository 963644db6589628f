import { manualClock } from '@kalends/conformance';
import type { ChannelRow, Logger } from 'kalends/ports';
import { nextTurn } from 'kalends/runtime';
import { expect, it } from 'vitest';
import { type ChannelNotifications, NotificationQueue } from '../../src/channels/notification-queue.ts';

function rowOf(id: string): ChannelRow {
  const collection = { applicationId: 'app_1', accountId: 'acc_1', calendarId: 'c' };
  const times = { createdAt: 1, renewAt: 2, expiresAt: 3 };
  const channel = { providerType: 'FAKE', kind: 'push', address: '', tokenHash: '' } as const;
  return { id, ...collection, ...channel, ...times, providerChannelId: id, resourceId: 'r' };
}

function openQueue() {
  const clock = manualClock();
  const reads: (readonly string[])[] = [];
  const acted: { readonly id: string; readonly notifications: ChannelNotifications }[] = [];
  const failures: Error[] = [];
  const broken = new Set<string>();
  const log: string[] = [];
  const write = (message: string) => void log.push(message);
  const logger: Logger = { debug: () => undefined, info: write, warn: write, error: write };
  let gate = Promise.resolve();
  const queue = new NotificationQueue({
    clock,
    logger,
    async read(ids) {
      reads.push(ids);
      await gate;
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return ids.map(rowOf);
    },
    async act(row, notifications) {
      if (broken.has(row.id)) throw new Error(`${row.id} is broken`);
      acted.push({ id: row.id, notifications });
    },
  });
  const add = (id: string, events: readonly string[] = [], kind: 'changed' | 'missed' = 'changed') =>
    queue.add(id, 'FAKE', { providerChannelId: id, token: '', kind, providerEventIds: events });
  /** Reads wait until the returned function is called. */
  const hold = () => {
    let release: () => void = () => undefined;
    gate = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  };
  return { clock, queue, reads, acted, failures, broken, log, add, hold };
}

it('merges notifications of a channel during another batch, and reads a batch in one call', async () => {
  const { queue, reads, acted, add, hold } = openQueue();
  const release = hold();
  await add('first');
  while (reads.length === 0) await nextTurn();
  for (let count = 0; count < 1_000; count += 1) {
    await add(`channel${count % 10}`, [`event${count % 20}`], count % 2 === 0 ? 'changed' : 'missed');
  }
  release();
  await queue.settled();
  expect(reads.map((ids) => ids.length)).toEqual([1, 10]);
  expect(acted).toHaveLength(11);
  expect(acted.at(-1)?.notifications).toMatchObject({
    kinds: new Set(['missed']),
    providerEventIds: new Set(['event9', 'event19']),
  });
});

it('ignores channels of another provider, and ids that are not the channel’s', async () => {
  const { queue, acted } = openQueue();
  const notification = { token: '', kind: 'changed', providerEventIds: [] } as const;
  await queue.add('one', 'OTHER', { ...notification, providerChannelId: 'one' });
  await queue.add('two', 'FAKE', { ...notification, providerChannelId: 'another' });
  await queue.settled();
  expect(acted).toEqual([]);
});

it('retries failures, and drops them after some attempts', async () => {
  const { clock, queue, acted, failures, add, log } = openQueue();
  failures.push(new Error('away'), new Error('away'));
  await add('one', ['e1']);
  await add('one', ['e2']);
  while (acted.length === 0) await clock.advance(1_000);
  expect(acted[0]?.notifications.providerEventIds).toEqual(new Set(['e1', 'e2']));
  for (let count = 0; count < 5; count += 1) failures.push(new Error('away'));
  await add('two');
  while (failures.length > 0) await clock.advance(1_000);
  await clock.advance(60_000);
  await queue.settled();
  expect(acted).toHaveLength(1);
  expect(log).toHaveLength(7);
});

it('bounds the queue: adding waits for space', async () => {
  const { queue, reads, acted, add, hold } = openQueue();
  const release = hold();
  await add('first');
  while (reads.length === 0) await nextTurn();
  let answered = 0;
  const adding = Array.from({ length: 20_500 }, (_, index) => add(`channel${index}`).then(() => (answered += 1)));
  await nextTurn();
  expect(answered).toBe(20_000);
  release();
  await Promise.all(adding);
  await queue.settled();
  expect(acted).toHaveLength(20_501);
});

it('awaits answered notifications when it is stopped, and drops those that fail', async () => {
  const { queue, acted, failures, add, hold } = openQueue();
  const release = hold();
  await add('one');
  await add('two');
  const stopped = queue.stop();
  await add('late');
  release();
  await stopped;
  expect(acted.map(({ id }) => id)).toEqual(['one', 'two']);
  expect(failures).toEqual([]);
  const other = openQueue();
  const open = other.hold();
  other.failures.push(new Error('away'));
  await other.add('one');
  const ended = other.queue.stop();
  open();
  await ended;
  expect(other.acted).toEqual([]);
});

it('neither loses nor repeats notifications of other channels when one fails', async () => {
  const { clock, queue, acted, broken, add } = openQueue();
  broken.add('two');
  for (const id of ['one', 'two', 'three']) await add(id);
  const settled = queue.settled();
  for (let count = 0; count < 20; count += 1) await clock.advance(1_000);
  await settled;
  expect(acted.map(({ id }) => id)).toEqual(['one', 'three']);
});
