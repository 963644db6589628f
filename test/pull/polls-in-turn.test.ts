import { ProviderError, type PullKnowledge } from 'kalends/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeEvent } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, KEY, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';

const HOUR_MS = 3_600_000;

let world: SyncWorld;
let stop: () => Promise<void>;
/** The knowledge that each pull got, with its time. */
let pulls: { readonly at: number; readonly known: PullKnowledge | undefined }[];
beforeEach(async () => {
  const interval = { pollWithPushMs: HOUR_MS, maxPushStalenessMs: HOUR_MS };
  world = await syncWorld({ ...interval, reconcileEveryMs: 300 * 24 * HOUR_MS });
  const { events } = world.fake.provider;
  const pull = events.pull.bind(events);
  pulls = [];
  Object.assign(events, {
    callsPerPull: 2,
    // Two sources of changes, of which a poll asks one.
    async *pull(...[session, calendar, token, known]: Parameters<typeof events.pull>) {
      const at = world.clock.now();
      const last = pulls.at(-1);
      pulls.push({ at, known });
      const isPart = known?.askedSince !== undefined && last !== undefined && last.at >= known.askedSince;
      for await (const page of pull(session, calendar, token)) {
        yield isPart && page.nextToken !== undefined ? { ...page, completeAt: last.at } : page;
      }
    },
  });
  world.fake.put(CALENDAR, fakeEvent('a'));
  await world.storage.subscriptions.insert({
    id: 'whs_1',
    applicationId: CALLER.applicationId,
    accountId: ACCOUNT,
    calendarId: CALENDAR,
    subscriptionType: 'event',
    detail: 'change',
    format: 'plain',
    providerType: 'FAKE',
    url: 'https://receiver.example/hook',
    wrappedKey: 'k',
    sealedSecret: 's',
    previousSecret: null,
    rateLimit: null,
    disabledAt: null,
    failingSince: null,
    createdAt: world.clock.now(),
    updatedAt: world.clock.now(),
  });
  const stopping = new AbortController();
  const running = world.pulls.run(stopping.signal);
  stop = async () => {
    stopping.abort();
    await running;
  };
});
afterEach(async () => {
  await stop();
  await world.close();
});

async function openChannel(): Promise<void> {
  await world.storage.channels.insert({
    id: 'chn_1',
    applicationId: CALLER.applicationId,
    accountId: ACCOUNT,
    calendarId: CALENDAR,
    providerType: 'FAKE',
    kind: 'push',
    providerChannelId: 'remote',
    resourceId: 'resource',
    tokenHash: '',
    address: '',
    expiresAt: world.clock.now() + 300 * 24 * HOUR_MS,
    renewAt: world.clock.now() + 300 * 24 * HOUR_MS,
    createdAt: world.clock.now(),
  });
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 60_000) {
    await world.clock.advance(Math.min(left, 60_000));
    for (let i = 0; i < 4; i++) await turn();
  }
}

describe('polls of a provider with two sources of changes', () => {
  test('ask them in turn behind a living channel, each once in the interval, and leave the mirror that old', async () => {
    await openChannel();
    await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
    await pass(2 * HOUR_MS);
    const before = pulls.length;
    await pass(2 * HOUR_MS);
    // An hour for both: a poll each half, and some minutes before.
    const polls = pulls.slice(before);
    expect(polls.length).toBeGreaterThanOrEqual(4);
    expect(polls.length).toBeLessThanOrEqual(5);
    const [earlier, last] = polls.slice(-2);
    const state = await world.storage.schedule.get(KEY);
    expect(state.pollEveryMs).toBe(HOUR_MS);
    expect(last?.known?.askedSince).toBe((last?.at ?? 0) - 0.75 * HOUR_MS);
    expect(state.syncedAt).toBe(earlier?.at);
    expect(state.dueAt).toBeLessThanOrEqual((last?.at ?? 0) + HOUR_MS / 2);
  });

  test('ask both without a channel, and whenever a caller waits', async () => {
    await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
    await pass(HOUR_MS / 4);
    expect(pulls.length).toBeGreaterThan(4);
    await openChannel();
    await pass(HOUR_MS);
    const before = pulls.length;
    await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
    expect(pulls.length).toBe(before + 1);
    const full = [...pulls.slice(0, 5), ...pulls.slice(before)];
    expect(full.map(({ known }) => known?.askedSince)).toEqual(full.map(() => undefined));
    expect((await world.storage.schedule.get(KEY)).syncedAt).toBe(pulls.at(-1)?.at);
  });
});

test('a pull can ask for the tags and ids of mirrored events', async () => {
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  await world.mirror.pull(world.account, CALENDAR);
  const ids: string[] = [];
  for await (const page of pulls.at(-1)?.known?.listIds() ?? []) ids.push(...page);
  expect(ids).toEqual(['a']);
  const tags = await pulls.at(-1)?.known?.tagsOf(['a', 'unknown']);
  expect([...(tags ?? [])]).toEqual([['a', 'tag1']]);
});

test('a pull is told how many before it have failed in a row', async () => {
  await world.events.list(CALLER, ACCOUNT, CALENDAR, {});
  world.fake.switches.fail = () => new ProviderError('unavailable', 'down');
  for (const failures of [0, 1]) {
    await expect(world.mirror.pull(world.account, CALENDAR)).rejects.toBeDefined();
    expect(pulls.at(-1)?.known?.failures).toBe(failures);
  }
  world.fake.switches.fail = undefined;
  await world.mirror.pull(world.account, CALENDAR);
  await world.mirror.pull(world.account, CALENDAR);
  expect(pulls.slice(-2).map(({ known }) => known?.failures)).toEqual([2, 0]);
});
