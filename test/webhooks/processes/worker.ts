// A process of the tests: changes calendars, delivers messages, or both, until it is killed or its input ends.
import type { Logger } from 'kalends/ports';
import { createId, createWakeUp, startLoop, systemClock, systemRandom, withOutageTimeout } from 'kalends/runtime';
import { LEASE_MS } from '../../../src/leases/index.ts';
import { createAddressGuard } from '../../../src/network/address-guard.ts';
import { createDispatcher } from '../../../src/webhooks/dispatcher.ts';
import { createOutboundSender } from '../../../src/webhooks/outbound-sender.ts';
import { createSignedPosts } from '../../../src/webhooks/signed-posts.ts';
import { localSealer } from '../../data-keys/local-sealer.ts';
import { storageAt } from '../../storages/storage-at.ts';
import { type Job, keyOf, SECRET, sharedClock } from './job.ts';

/** Changes come from workers too, who wait for a server that is away. */
const OUTAGE_MS = 60_000;
const OPENINGS = 50;
const OPENING_PAUSE_MS = 200;

const job = JSON.parse(process.argv[2] ?? '') as Job;
const clock = sharedClock(job);
const random = systemRandom;
const storage = await storageAt(job.database, clock);
await openPatiently();
const wakeUp = createWakeUp(clock);

const write = (text: string, fields?: unknown) => process.stderr.write(`${text} ${JSON.stringify(fields ?? {})}\n`);
const logger: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: write };

const sender = createOutboundSender({ guard: createAddressGuard(['127.0.0.0/8']), clock });
const dispatcher = createDispatcher({
  storage,
  post: createSignedPosts({ sealer: localSealer(SECRET), sender, timeoutMs: job.timeoutMs }),
  clock,
  random,
  logger,
  wakeUp,
  // Renewals come from real timers.
  leaseMs: LEASE_MS * job.speed,
});
const deliveries = job.dispatches ? startLoop('deliveries', dispatcher.run, { clock, logger, random }) : undefined;
const inputEnded = new Promise((resolve) => process.stdin.on('end', resolve).resume());

/** A process whose server has never answered it gives up at once: its supervisor would start it again. */
async function openPatiently(): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await storage.open();
    } catch (error) {
      if (attempt === OPENINGS) throw error;
      await systemClock.sleep(OPENING_PAUSE_MS);
    }
  }
}

/** Changes one event, and tells its subscriptions in the same transaction. */
async function change(calendar: number): Promise<void> {
  const key = keyOf(calendar);
  const messageId = createId(random, 'msg');
  const itemId = job.eventType === 'calendar.event.unknown' ? messageId : 'event';
  for (;;) {
    const state = await storage.mirror.ensure(key, { at: clock.now(), tag: 'start', timeZone: 'UTC' });
    const at = clock.now();
    const write = {
      itemId,
      groupId: itemId,
      content: { messageId },
      etag: messageId,
      providerTag: null,
      mappingVersion: 1,
      rangeStart: 0,
      rangeEnd: 1,
    };
    const { deferred } = await storage.mirror.commit(key, {
      writes: [write],
      basedOn: state.revision,
      at,
      tag: messageId,
      notify: { eventType: job.eventType, messageId: () => messageId },
    });
    // Another process has changed the event since it was read. This one has changed nothing yet, and enqueued no message.
    if (deferred.length > 0) continue;
    wakeUp.notify();
    process.stdout.write(`${calendar} ${at}\n`);
    return;
  }
}

for (let made = 0; made < job.changes; made += 1) {
  const calendar = Math.floor(random.fraction() * job.calendars);
  await withOutageTimeout({ limitMs: OUTAGE_MS }, () => change(calendar));
  // Messages and changes take turns on the event loop of one process.
  if (job.dispatches) await new Promise((resolve) => setImmediate(resolve));
}
await inputEnded;
await deliveries?.stop();
await sender.close();
await storage.close();
