import fc from 'fast-check';
import type { CalendarEvent, DeletedEvent, EventListQuery } from 'kalends/model';
import { instantOf } from 'kalends/zones';
import { expect, test } from 'vitest';
import { ACCOUNT, CALENDAR, CALLER, type Services, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';
import { sizeOf } from '../size-of.ts';
import { type PlainQuery, plainAnswer } from './plain-model.ts';
import { applyEdit, BASE_MS, DAY_MS, day, edit, ZONES } from './provider-edits.ts';

/**
 * The promise: a client that applies every page of every sync result holds exactly what a fresh full list would give it,
 * which in turn is what plain recomputation from the provider's objects gives.
 */

const query: fc.Arbitrary<PlainQuery> = fc
  .record(
    {
      expand: fc.boolean(),
      window: fc.option(
        fc.record({ from: day, days: fc.integer({ min: 1, max: 12 }) }).map(({ from, days }) => ({
          from: BASE_MS + from * DAY_MS,
          to: BASE_MS + (from + days) * DAY_MS,
        })),
        { nil: undefined },
      ),
      search: fc.option(fc.constantFrom('plan', 'lunch'), { nil: undefined, freq: 3 }),
      isAllDay: fc.option(fc.boolean(), { nil: undefined, freq: 3 }),
      isCancelled: fc.option(fc.boolean(), { nil: undefined }),
      timeZone: fc.option(fc.constantFrom('Asia/Tokyo', 'UTC'), { nil: undefined, freq: 3 }),
    },
    { requiredKeys: ['expand'] },
  )
  .map(({ window, expand, ...rest }) => {
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    const shown = window ?? (expand ? { from: BASE_MS, to: BASE_MS + 30 * DAY_MS } : undefined);
    return { expand, ...given, ...(shown === undefined ? {} : { window: shown }) };
  });

const step = fc.record({
  edits: fc.array(edit, { minLength: 0, maxLength: 6 }),
  /** Which client syncs, with pages of which size, and what happens at the provider after its first page. */
  client: fc.integer({ min: 0, max: 2 }),
  pageSize: fc.integer({ min: 1, max: 5 }),
  between: fc.array(edit, { maxLength: 2 }),
});

interface Client {
  /** The process that it talks to. */
  readonly services: Services;
  readonly query: PlainQuery;
  readonly held: Map<string, CalendarEvent>;
  token: string | undefined;
}

test('a client that applies every sync result holds what a fresh list gives', { timeout: 900_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(query, { minLength: 3, maxLength: 3 }),
      fc.array(step, { minLength: 3, maxLength: 9 }),
      play,
    ),
    { numRuns: sizeOf('runs', { short: 20, long: 200 }) },
  );
});

async function play(
  queries: readonly PlainQuery[],
  steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
) {
  const world = await syncWorld({ freshWithoutPushMs: 1 });
  try {
    world.fake.switches.pageZone = ZONES[0];
    world.fake.switches.pageSize = 4;
    const peer = world.peer();
    const clients = queries.map((own, number): Client => {
      return { services: number === 2 ? peer : world, query: own, held: new Map(), token: undefined };
    });
    for (const { edits, client: number, pageSize, between } of steps) {
      const client = clients[number]!;
      for (const one of edits) await applyEdit(world, one);
      await sync(world, client, pageSize, async () => {
        for (const one of between) await applyEdit(world, one);
      });
      await check(world, client, pageSize);
    }
    for (const client of clients) await check(world, client, 3);
  } finally {
    await world.close();
  }
}

/** A page, which must be the same however it is asked for: as objects, printed, and printed again. */
async function read({ services }: Client, query: EventListQuery) {
  const page = await services.events.list(CALLER, ACCOUNT, CALENDAR, query);
  // From the third time on the serialized text was cached.
  const prints = query.pageToken === undefined && query.syncToken === undefined ? 3 : 1;
  for (let print = 1; print <= prints; print += 1) {
    const { json } = await services.events.listJson(CALLER, ACCOUNT, CALENDAR, query);
    expect(JSON.parse(Buffer.from(json).toString())).toMatchObject({ data: page.data });
  }
  return page;
}

/** One complete sync: every page of it. */
async function sync(world: SyncWorld, client: Client, limit: number, between: () => Promise<void>) {
  await world.clock.advance(1_000);
  const start = client.token === undefined ? httpQuery(client.query) : { syncToken: client.token };
  let page = await read(client, { ...start, limit: String(limit) });
  const seen = new Set<string>();
  for (let isFirst = true; ; isFirst = false) {
    for (const record of page.data) {
      expect(seen.has(record.id), `${record.id} comes once`).toBe(false);
      seen.add(record.id);
      hold(client, record);
    }
    expect(page.data.length).toBeLessThanOrEqual(limit);
    if (page.nextPageToken === undefined) break;
    if (isFirst) await between();
    page = await read(client, { pageToken: page.nextPageToken });
  }
  client.token = page.nextSyncToken!;
}

function hold(client: Client, record: CalendarEvent | DeletedEvent) {
  if ('isDeleted' in record) client.held.delete(record.id);
  else client.held.set(record.id, record);
}

async function check(world: SyncWorld, client: Client, limit: number) {
  await sync(world, client, limit, async () => undefined);
  const fresh: Client = { ...client, held: new Map(), token: undefined };
  await sync(world, fresh, limit, async () => undefined);
  expect(Object.fromEntries(client.held)).toEqual(Object.fromEntries(fresh.held));
  const plain = plainAnswer(world.fake.events(CALENDAR).values(), world.fake.switches.pageZone!, client.query);
  const zone = world.fake.switches.pageZone!;
  const held = [...fresh.held.values()].map((event) => {
    const at = (text: string) => (event.isAllDay ? instantOf(zone, Date.parse(`${text}Z`)) : Date.parse(text));
    const { title: shown, isCancelled, start, end } = event;
    return [event.id, { title: shown, isCancelled, startMs: at(start.dateTime), endMs: at(end.dateTime) }];
  });
  expect(Object.fromEntries(held)).toEqual(plain);
  if (client.query.expand) await checkOrders(client, fresh, limit);
}

/** Every order shows the same records, each once, in that order. */
async function checkOrders({ services, query: own }: Client, { held }: Client, limit: number) {
  const keys = { startDateTime: startOf, updatedDateTime: ({ updatedAt }: CalendarEvent) => updatedAt };
  for (const [orderBy, keyOf] of Object.entries(keys)) {
    const ordered: CalendarEvent[] = [];
    let page = await services.events.list(CALLER, ACCOUNT, CALENDAR, {
      ...httpQuery(own),
      timeZone: 'UTC',
      orderBy: orderBy as keyof typeof keys,
      limit: String(limit),
    });
    for (;;) {
      ordered.push(...(page.data as CalendarEvent[]));
      if (page.nextPageToken === undefined) break;
      page = await services.events.list(CALLER, ACCOUNT, CALENDAR, { pageToken: page.nextPageToken });
    }
    expect(ordered.map(({ id }) => id).sort()).toEqual([...held.keys()].sort());
    const shown = ordered.map(keyOf);
    expect(shown).toEqual([...shown].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
  }

  function startOf({ start, isAllDay }: CalendarEvent): string {
    const ms = isAllDay ? instantOf(start.timeZone, Date.parse(`${start.dateTime}Z`)) : Date.parse(start.dateTime);
    return new Date(ms).toISOString();
  }
}

function httpQuery({ expand, window, ...rest }: PlainQuery): EventListQuery {
  const bounds =
    window === undefined
      ? {}
      : { startDateTime: new Date(window.from).toISOString(), endDateTime: new Date(window.to).toISOString() };
  const filters = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  return { expandRecurrences: expand ? 'true' : 'false', ...bounds, ...filters } as EventListQuery;
}
