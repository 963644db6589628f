import { digestOf } from '@kalends/client/digest';
import fc from 'fast-check';
import type { CalendarEvent, EventListQuery } from 'kalends/model';
import { expect, test } from 'vitest';
import { ACCOUNT, CALENDAR, CALLER, type SyncWorld, syncWorld } from '../../mirror/sync-world.ts';
import { sizeOf } from '../../size-of.ts';
import { applyEdit, day, edit, ZONES } from '../provider-edits.ts';
import { plainDigest } from './plain-digest.ts';

/**
 * The promise of digests: the digest on the last page of a list or sync result is that of the records which a client that applied
 * every page holds, and of a fresh full list.
 */

const BASE_MS = Date.UTC(2026, 2, 2);
const DAY_MS = 86_400_000;

const query: fc.Arbitrary<EventListQuery> = fc
  .record({
    expand: fc.boolean(),
    window: fc.option(fc.record({ from: day, days: fc.integer({ min: 1, max: 12 }) }), { nil: undefined }),
    search: fc.option(fc.constantFrom('plan', 'lunch'), { nil: undefined, freq: 3 }),
    isAllDay: fc.option(fc.boolean(), { nil: undefined, freq: 3 }),
    isCancelled: fc.option(fc.boolean(), { nil: undefined }),
    orderBy: fc.option(fc.constantFrom('startDateTime' as const, 'updatedDateTime' as const), { nil: undefined }),
  })
  .map(({ expand, window, search, isAllDay, isCancelled, orderBy }): EventListQuery => {
    const { from, days } = window ?? { from: 0, days: 30 };
    const at = (days: number) => new Date(BASE_MS + days * DAY_MS).toISOString();
    const bounds = expand || window ? { startDateTime: at(from), endDateTime: at(from + days) } : {};
    return {
      ...bounds,
      expandRecurrences: expand,
      ...(search === undefined ? {} : { search }),
      ...(isAllDay === undefined ? {} : { isAllDay }),
      ...(isCancelled === undefined ? {} : { isCancelled }),
      ...(expand && orderBy !== undefined ? { orderBy } : {}),
    } as EventListQuery;
  });

const step = fc.record({
  edits: fc.array(edit, { maxLength: 6 }),
  client: fc.integer({ min: 0, max: 2 }),
  pageSize: fc.integer({ min: 1, max: 5 }),
  /** Changes at the provider after the first page. */
  between: fc.array(edit, { maxLength: 2 }),
  isVerified: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Client {
  readonly query: EventListQuery;
  readonly held: Map<string, CalendarEvent>;
  token: string | undefined;
  digest: string | undefined;
}

const timeout = 900_000;

test('the digest of a sync is that of what the client holds, and of a fresh list', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(query, { minLength: 3, maxLength: 3 }),
      fc.array(step, { minLength: 3, maxLength: 9 }),
      play,
    ),
    { numRuns: sizeOf('runs', { short: 30, long: 200 }) },
  );
});

async function play(queries: readonly EventListQuery[], steps: readonly Step[]) {
  const world = await syncWorld({ freshWithoutPushMs: 1 });
  try {
    world.fake.switches.pageZone = ZONES[0];
    world.fake.switches.pageSize = 4;
    const clients = queries.map(
      (own): Client => ({ query: own, held: new Map(), token: undefined, digest: undefined }),
    );
    for (const { edits, client: number, pageSize, between, isVerified } of steps) {
      const client = clients[number]!;
      for (const one of edits) await applyEdit(world, one);
      await sync(world, client, pageSize, isVerified, async () => {
        for (const one of between) await applyEdit(world, one);
      });
      await check(world, client, pageSize);
    }
  } finally {
    await world.close();
  }
}

/** Both agree at the revision of the client, which no edit has left since. */
async function check(world: SyncWorld, client: Client, pageSize: number) {
  await sync(world, client, pageSize, true);
  const fresh: Client = { ...client, held: new Map(), token: undefined };
  await sync(world, fresh, pageSize + 1, false);
  expect(client.digest).toBe(fresh.digest);
  expect(await digestOf(client.held.values())).toBe(client.digest);
}

/** One complete sync, and what must be true of its last page. */
async function sync(world: SyncWorld, client: Client, limit: number, verify: boolean, between = async () => {}) {
  await world.clock.advance(1_000);
  const isSync = client.token !== undefined;
  const start = isSync
    ? { syncToken: client.token!, ...(verify ? { verify } : {}) }
    : { ...client.query, digest: true };
  let page = await read(world, { ...start, limit: String(limit) });
  const before = new Map(client.held);
  const changed = [];
  for (let isFirst = true; ; isFirst = false) {
    for (const record of page.data) {
      changed.push(record);
      if ('isDeleted' in record) client.held.delete(record.id);
      else client.held.set(record.id, record);
    }
    if (page.nextPageToken === undefined) break;
    expect(page).not.toHaveProperty('digest');
    if (isFirst) await between();
    page = await read(world, { pageToken: page.nextPageToken });
  }
  client.token = page.nextSyncToken!;
  client.digest = page.digest;
  expect(page.digest).toBe(plainDigest(client.held.values()));
  expect(page.isVerified).toBe(isSync && verify ? true : undefined);
  expectLossToShow(before, changed, client);
}

/** A copy that misses any one change has another digest. */
function expectLossToShow(before: Client['held'], changed: Awaited<ReturnType<typeof read>>['data'], client: Client) {
  for (const { id } of changed) {
    const was = before.get(id);
    const held = new Map(client.held);
    held.delete(id);
    if (was !== undefined) held.set(id, was);
    // A record that is told again as it was is no loss.
    if (was?.etag !== client.held.get(id)?.etag) expect(plainDigest(held.values())).not.toBe(client.digest);
  }
}

/** A page, the same as an object, printed, and printed again. */
async function read(world: SyncWorld, of: EventListQuery) {
  const page = await world.events.list(CALLER, ACCOUNT, CALENDAR, of);
  for (let print = 1; print <= 3; print += 1) {
    const { json } = await world.events.listJson(CALLER, ACCOUNT, CALENDAR, of);
    const { data, digest, isVerified } = JSON.parse(Buffer.from(json).toString());
    expect({ data, digest, isVerified }).toEqual({ data: page.data, digest: page.digest, isVerified: page.isVerified });
  }
  return page;
}
