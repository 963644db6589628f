import { describe, expect, it, onTestFinished } from 'vitest';
import { openComposedEngine } from '../accounts/composed-engine.ts';
import { openReceiver } from './receiver.ts';

/** An engine with another application beside the first; messages go to endpoints below one receiving host. */
async function openTenants() {
  const composed = await openComposedEngine({ webhooks: { allowedNetworks: ['127.0.0.0/8'] } });
  const receiver = await openReceiver();
  const { applications, webhookEndpoints } = composed.engine.services;
  const other = await applications.create({ name: 'Other' });
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let made = 0;

  const enqueue = (applicationId: string, targetId: string) => {
    made += 1;
    const message = { eventType: 'calendar.event.unknown', timestamp: made, messageId: `msg_${made}` } as const;
    return composed.storage.outbox.enqueue({ applicationId, targetId, ...message });
  };
  onTestFinished(async () => {
    // A hanging request ends at its deadline.
    stopping.abort();
    for (let step = 0; step < 40; step += 1) await composed.clock.advance(1_000);
    await running;
    await composed.engine.sender.close();
  });
  return {
    composed,
    receiver,
    first: composed.applicationId,
    second: other.id,
    enqueue,
    /** Makes endpoints at these paths, with one message each. */
    async prepare(applicationId: string, paths: readonly string[]) {
      const ids: string[] = [];
      for (const path of paths) {
        const webhookUrl = receiver.url.replace('/hook', path);
        ids.push((await webhookEndpoints.create({ applicationId }, { webhookUrl })).webhookEndpointId);
        await enqueue(applicationId, ids.at(-1)!);
      }
      return ids;
    },
    /** As a change of the dispatcher's own process does. */
    async wake(applicationId: string, targetId: string) {
      await webhookEndpoints.recover({ applicationId }, targetId, { since: '2999-01-01T00:00:00Z' });
    },
    start() {
      running = composed.engine.dispatcher.run(stopping.signal);
    },
    /** Turns of the event loop, without any time passing, until it is true. */
    async until(condition: () => boolean | Promise<boolean>) {
      for (let turn = 0; turn < 20_000; turn += 1) {
        if (await condition()) return;
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new Error('The condition did not come true.');
    },
  };
}

const paths = (name: string, count: number) => Array.from({ length: count }, (_, index) => `/${name}/${index}`);

describe('a receiver that hangs', () => {
  it('does not hold up the other 99: all their messages come before any time has passed', async () => {
    const tenants = await openTenants();
    const { receiver } = tenants;
    receiver.answer = (request, response) => {
      if (request.url !== '/r/0') response.end();
    };
    const ids = await tenants.prepare(tenants.first, paths('r', 100));
    const startedAt = tenants.composed.clock.now();
    tenants.start();
    for (let round = 1; round <= 5; round += 1) {
      await tenants.until(() => receiver.received.filter(({ path }) => path !== '/r/0').length === 99 * round);
      if (round === 5) break;
      for (const id of ids.slice(1)) await tenants.enqueue(tenants.first, id);
      await tenants.wake(tenants.first, ids[1]!);
    }
    expect(tenants.composed.clock.now()).toBe(startedAt);
    expect(receiver.received.filter(({ path }) => path === '/r/0')).toHaveLength(1);
  }, 60_000);

  it('of another tenant, on the same host, delays no other receiver', async () => {
    const tenants = await openTenants();
    const { receiver } = tenants;
    receiver.answer = (request, response) => {
      if (request.url?.startsWith('/good')) response.end();
    };
    await tenants.prepare(tenants.first, paths('bad', 200));
    await tenants.prepare(tenants.second, paths('good', 200));
    tenants.start();
    await tenants.until(() => receiver.received.filter(({ path }) => path.startsWith('/good')).length === 200);
    expect(receiver.received.filter(({ path }) => path.startsWith('/bad'))).toHaveLength(10);
  }, 60_000);
});

it('one host for all receivers gets far more than ten at a time once it answers fast', async () => {
  const tenants = await openTenants();
  const { receiver } = tenants;
  const held: (() => void)[] = [];
  const TOGETHER = 100;
  receiver.answer = (_request, response) => {
    if (receiver.received.length <= 800) response.end();
    else {
      // Answered only when so many wait at the same time.
      held.push(() => response.end());
      if (held.length >= TOGETHER) for (const release of held) release();
    }
  };
  const ids = await tenants.prepare(tenants.first, paths('all', 300));
  tenants.start();
  for (let round = 0; round < 4; round += 1) {
    for (const id of ids) await tenants.enqueue(tenants.first, id);
  }
  await tenants.wake(tenants.first, ids[0]!);
  await tenants.until(() => held.length >= TOGETHER);
  for (const release of held) release();
  expect(held.length).toBeGreaterThanOrEqual(TOGETHER);
}, 60_000);
