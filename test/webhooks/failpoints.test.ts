import type { OutboxStore } from 'kalends/ports';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAddressGuard } from '../../src/network/address-guard.ts';
import { createWakeUp, systemRandom } from '../../src/runtime/index.ts';
import { createDispatcher } from '../../src/webhooks/dispatcher.ts';
import { createOutboundSender } from '../../src/webhooks/outbound-sender.ts';
import { createSignedPosts } from '../../src/webhooks/signed-posts.ts';
import { type ComposedEngine, openComposedEngine } from '../accounts/composed-engine.ts';
import { localSealer } from '../data-keys/local-sealer.ts';
import { newDatabase, STORAGES } from '../storages/new-database.ts';
import { openReceiver } from './receiver.ts';

/** A turn of the outbox is called by what it has to do first: to acknowledge, or else to claim. */
type Point = 'claim' | 'post' | 'acknowledge';

/** Where a process may die on the way from the stored change to the stored delivery. */
const POINTS: readonly (readonly [Point, 'before' | 'after', number])[] = [
  ['claim', 'before', 0],
  ['claim', 'after', 0],
  ['post', 'before', 0],
  ['post', 'after', 1],
  ['acknowledge', 'before', 1],
  ['acknowledge', 'after', 1],
];

/** Starts a dispatcher on the storage that dies at the failpoint: it never continues. */
function process(composed: ComposedEngine, failpoint?: readonly [Point, 'before' | 'after']) {
  const { clock, storage } = composed;
  let isDead = false;
  const dying = async <Result>(point: Point, work: () => Promise<Result>): Promise<Result> => {
    const isIt = failpoint?.[0] === point;
    if (isDead || (isIt && failpoint[1] === 'before')) return die();
    const result = await work();
    return isDead || isIt ? die() : result;
  };
  const die = <Result>(): Promise<Result> => {
    isDead = true;
    return new Promise(() => undefined);
  };
  const { outbox } = storage;
  const mortal: OutboxStore = {
    ...outbox,
    renew: (held, leaseMs) => (isDead ? die() : outbox.renew(held, leaseMs)),
    acknowledgeAndClaim: (ends, input) =>
      dying(ends.length === 0 ? 'claim' : 'acknowledge', () => outbox.acknowledgeAndClaim(ends, input)),
  };
  const sender = createOutboundSender({ guard: createAddressGuard(['127.0.0.0/8']), clock });
  const stopping = new AbortController();
  const running = createDispatcher({
    storage: { outbox: mortal },
    post: createSignedPosts({
      sealer: localSealer(Buffer.alloc(32, 7).toString('base64')),
      sender: { ...sender, post: (request) => dying('post', () => sender.post(request)) },
      timeoutMs: 15_000,
    }),
    clock,
    random: systemRandom,
    logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    wakeUp: createWakeUp(clock),
  }).run(stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    if (!isDead) await running;
    await sender.close();
  });
  return { isDead: () => isDead };
}

async function until(composed: ComposedEngine, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let step = 0; step < 2_000; step += 1) {
    if (await condition()) return;
    await composed.clock.advance(500);
  }
  throw new Error('The condition did not come true.');
}

describe.each(STORAGES)('a process that dies, on %s,', (storage) => {
  const open = async () =>
    openComposedEngine({ webhooks: { allowedNetworks: ['127.0.0.0/8'] } }, await newDatabase(storage));

  it.each(POINTS)('at %s, %s it: the message still arrives', async (point, side, sentBefore) => {
    const composed = await open();
    const receiver = await openReceiver();
    const accountId = await composed.connect();
    const sent = { webhookUrl: receiver.url };
    const { webhookEndpointId } = await composed.engine.services.webhookEndpoints.create(composed.caller, sent);
    composed.fake.grant('rt-2', 'ada@example.com');
    const body = { email: 'ada@example.com', providerType: 'FAKE', refreshToken: 'rt-2', externalId: 'changed' };
    await composed.engine.services.accounts.upsert(composed.caller, body);

    const first = process(composed, [point, side]);
    await until(composed, first.isDead);
    expect(receiver.received).toHaveLength(sentBefore);
    process(composed);
    await until(composed, async () => (await composed.storage.outbox.nextDueAt()) === null);

    const types = new Map(
      receiver.received.map(({ headers, body: text }) => [headers['hook-id'], JSON.parse(text).eventType]),
    );
    expect([...types.values()]).toEqual(['enduseraccount.updated', 'enduseraccount.credential.updated']);
    // A message sent twice has the same id; after the last point none is sent twice.
    const isStored = point === 'acknowledge' && side === 'after';
    expect(receiver.received).toHaveLength(isStored ? 2 : 2 + sentBefore);
    const log = await composed.storage.outbox.listAttempts(composed.applicationId, webhookEndpointId, { limit: 9 });
    expect(log.map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered']);
    expect(accountId).toMatch(/^acc_/);
  });

  it('before the change is stored announces nothing, after it announces it to all', async () => {
    const composed = await open();
    const receiver = await openReceiver();
    const id = await composed.connect();
    await composed.engine.services.webhookEndpoints.create(composed.caller, { webhookUrl: receiver.url });
    const failing = () => {
      throw new Error('died');
    };
    await expect(composed.storage.accounts.delete(composed.applicationId, id, failing)).rejects.toThrow('died');
    expect(await composed.storage.accounts.find(composed.applicationId, id)).toBeDefined();
    expect(await composed.storage.outbox.nextDueAt()).toBeNull();
    await composed.engine.services.accounts.delete(composed.caller, id);
    process(composed);
    await until(composed, () => receiver.received.length === 1);
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
      eventType: 'enduseraccount.deleted',
      data: { endUserAccountId: id },
    });
  });
});
