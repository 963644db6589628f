import type { SyncResult } from '@kalends/client';
import { type EventCopy, eventCopy, foldMessage, mergeSync } from '@kalends/client/copy';
import fc from 'fast-check';
import { KalendsError } from 'kalends';
import type { CalendarEvent, DeletedEvent, WebhookMessage } from 'kalends/model';
import type { Acknowledgement, Logger } from 'kalends/ports';
import { expect, test } from 'vitest';
import { readChangedRecords } from '../../src/events/index.ts';
import { revisionText } from '../../src/mirror/index.ts';
import { createMessageView } from '../../src/webhooks/index.ts';
import { applyEdit, edit, ZONES } from '../events/provider-edits.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';
import { sizeOf } from '../size-of.ts';

/**
 * The promise of messages with records: a consumer that folds them into its copy, and syncs where they leave a gap, holds what a
 * fresh list holds, whatever was lost, came twice or out of order.
 */

const step = fc.record({
  edits: fc.array(edit, { maxLength: 4 }),
  /** Whether the calendar is pulled now; else the next read does it. */
  isPulled: fc.boolean(),
  /** Whether the receiver answers in this step. */
  isUp: fc.boolean(),
  /** Of the messages sent in this step, in turn. */
  fates: fc.array(fc.constantFrom('come', 'come', 'come', 'lost', 'twice', 'late'), { minLength: 1, maxLength: 5 }),
  /** Most messages that the consumer handles in this step. */
  handled: fc.integer({ min: 0, max: 9 }),
  /** Old versions are purged. */
  isPurged: fc.nat(9).map((number) => number === 9),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const failed = (message: string, fields?: unknown) => {
  throw new Error(`${message} ${JSON.stringify(fields)}`);
};
const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: failed };

const timeout = 86_400_000;

test('a consumer that folds what comes, and syncs over gaps, holds what a fresh list gives', { timeout }, async () => {
  const histories = fc.array(step, { minLength: 3, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => void (await play(steps))),
    { numRuns: sizeOf('histories', { short: 50, long: 400 }) },
  );
});

test('a consumer that gets every message in order syncs once, and where a message says so', { timeout }, async () => {
  const inOrder = step.map((each): Step => ({ ...each, fates: ['come'], isUp: true, isPurged: false, handled: 99 }));
  await fc.assert(
    fc.asyncProperty(fc.array(inOrder, { minLength: 3, maxLength: 9 }), async (steps) => {
      const { syncs, unknown } = await play(steps);
      // A sync may be ahead of messages, of which the first leads to another.
      expect(syncs).toBeLessThanOrEqual(1 + 2 * unknown);
    }),
    { numRuns: sizeOf('ordered', { short: 15, long: 100 }) },
  );
});

async function play(steps: readonly Step[]) {
  const world = await syncWorld({ freshWithoutPushMs: 1 });
  try {
    world.fake.switches.pageZone = ZONES[0];
    world.fake.switches.pageSize = 4;
    await list(world);
    await subscribe(world);
    const consumer = createConsumer(world);
    await consumer.sync();
    for (const each of steps) await playStep(world, consumer, each);
    // After the last message, which comes in any case, nothing is missing.
    await applyEdit(world, { kind: 'single', index: 9, day: 1, title: 'last', allDay: false });
    await pull(world);
    consumer.inbox.push(...(await sentMessages(world)));
    await consumer.handle(Number.POSITIVE_INFINITY);
    const fresh = await list(world);
    expect(byId(consumer.copy.records.values())).toEqual(byId(fresh.records));
    return consumer;
  } finally {
    await world.close();
  }
}

async function playStep(
  world: SyncWorld,
  consumer: Consumer,
  { edits, isPulled, isUp, fates, handled, isPurged }: Step,
) {
  for (const each of edits) await applyEdit(world, each);
  if (isPulled) await pull(world);
  if (isPurged) await world.storage.mirror.purge({ before: world.clock.now(), limit: 1_000 });
  const late: WebhookMessage[] = [];
  for (const [index, message] of (isUp ? await sentMessages(world) : []).entries()) {
    const fate = fates[index % fates.length];
    if (fate === 'come' || fate === 'twice') consumer.inbox.push(message);
    if (fate === 'late' || fate === 'twice') late.unshift(message);
  }
  consumer.inbox.push(...late);
  await consumer.handle(handled);
  // A copy that is as of the present revision is the list of that revision.
  const state = await world.storage.mirror.find(KEY);
  if (state === undefined || consumer.copy.revision !== revisionText(state)) return;
  const fresh = await list(world);
  if (fresh.revision === consumer.copy.revision) {
    expect(byId(consumer.copy.records.values())).toEqual(byId(fresh.records));
  }
}

interface Consumer {
  readonly copy: EventCopy;
  readonly inbox: WebhookMessage[];
  syncs: number;
  /** Messages that told of changes without records. */
  unknown: number;
  sync(): Promise<void>;
  handle(most: number): Promise<void>;
}

function createConsumer(world: SyncWorld): Consumer {
  const copy = eventCopy();
  const consumer: Consumer = {
    copy,
    inbox: [],
    syncs: 0,
    unknown: 0,
    async sync() {
      consumer.syncs += 1;
      mergeSync(copy, await list(world, copy.syncToken));
    },
    async handle(most) {
      for (const message of consumer.inbox.splice(0, most)) {
        if (message.eventType === 'calendar.event.unknown') consumer.unknown += 1;
        if (!foldMessage(copy, message)) await consumer.sync();
      }
    },
  };
  return consumer;
}

/** The whole list, or the changes since a token that is still known. */
async function list(
  { events, clock }: SyncWorld,
  syncToken?: string,
): Promise<SyncResult<CalendarEvent | DeletedEvent>> {
  await clock.advance(1_000);
  const records: (CalendarEvent | DeletedEvent)[] = [];
  let query: { syncToken?: string; pageToken?: string; limit: string } = { limit: '3' };
  if (syncToken !== undefined) query = { ...query, syncToken };
  for (;;) {
    try {
      const page = await events.list(CALLER, ACCOUNT, CALENDAR, query);
      records.push(...page.data);
      const { nextPageToken, nextSyncToken = '', revision = '' } = page;
      if (nextPageToken === undefined) {
        return { records, syncToken: nextSyncToken, isFull: syncToken === undefined, revision };
      }
      query = { pageToken: nextPageToken, limit: '3' };
    } catch (error) {
      if (syncToken === undefined || !KalendsError.isInstance(error) || error.code !== 'SyncTokenExpired') throw error;
      return await list({ events, clock } as SyncWorld);
    }
  }
}

async function pull({ mirror, account, clock }: SyncWorld): Promise<void> {
  await clock.advance(1_000);
  await mirror.pull(account, CALENDAR);
}

/** Delivers what waits in the outbox, message by message. */
async function sentMessages({ storage }: SyncWorld): Promise<readonly WebhookMessage[]> {
  const show = createMessageView((key, change) => readChangedRecords(storage.mirror, key, change), SILENT);
  const sent: WebhookMessage[] = [];
  for (let ended: readonly Acknowledgement[] = []; ; ) {
    const { claims } = await storage.outbox.acknowledgeAndClaim(ended, { limit: 1, leaseMs: 1_000 });
    const [claim] = claims;
    if (claim === undefined) return sent;
    sent.push(await show(claim));
    const { target, message, epoch } = claim;
    const attempt = { id: `att_${message.id}`, eventType: message.eventType, at: 1, status: 200, failure: null };
    ended = [
      {
        ...{ applicationId: target.applicationId, targetId: target.id, messageId: message.id, epoch },
        attempt: { ...attempt, latencyMs: 1, excerpt: '' },
        outcome: { kind: 'delivered' },
      },
    ];
  }
}

async function subscribe({ storage, clock }: SyncWorld): Promise<void> {
  const now = clock.now();
  await storage.subscriptions.insert({
    id: 'whs_1',
    ...KEY,
    subscriptionType: 'event',
    detail: 'record',
    format: 'plain',
    providerType: 'FAKE',
    url: 'https://receiver.test/hook',
    wrappedKey: 'k',
    sealedSecret: 's',
    previousSecret: null,
    rateLimit: null,
    disabledAt: null,
    failingSince: null,
    createdAt: now,
    updatedAt: now,
  });
}

const byId = (records: Iterable<CalendarEvent | DeletedEvent>) =>
  Object.fromEntries([...records].map((record) => [record.id, record]));
