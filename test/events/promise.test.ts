import fc from 'fast-check';
import type { CalendarEvent, DeletedEvent, EventListQuery } from 'kalends/model';
import { formatInstant, instantOf } from 'kalends/zones';
import { expect, test } from 'vitest';
import { allDay, cancelledSlot, fakeEvent, fakeException } from '../mirror/fake-events.ts';
import { ACCOUNT, CALENDAR, CALLER, type Services, type SyncWorld, syncWorld } from '../mirror/sync-world.ts';
import { sizeOf } from '../size-of.ts';
import { type PlainQuery, plainAnswer } from './plain-model.ts';

/**
 * The promise: a client that applies every page of every sync result holds exactly what a fresh full list would give it,
 * which in turn is what plain recomputation from the provider's objects gives.
 */

const DAY_MS = 86_400_000;
const BASE_MS = Date.UTC(2026, 2, 2);
const ZONES = ['America/New_York', 'Europe/Berlin', 'Pacific/Auckland'];
const TITLES = ['plan', 'lunch', 'plan b'];
const SERIES = ['s0', 's1', 's2'];

const day = fc.integer({ min: 0, max: 24 });
const index = fc.integer({ min: 0, max: 5 });
const title = fc.constantFrom(...TITLES);
const series = fc.constantFrom(...SERIES);

const edit = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('single'), index, day, title, allDay: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('series'),
      series,
      day,
      title,
      allDay: fc.boolean(),
      interval: fc.integer({ min: 1, max: 3 }),
      count: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('move'), series, index, day, title }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel'), series, index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore'), series, index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('remove'),
      id: fc.oneof(
        series,
        index.map((i) => `e${i}`),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('zone'), zone: fc.constantFrom(...ZONES) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('whole'), whole: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('names'), only: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('ours'), index, day, title }) },
);
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

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
      for (const one of edits) await apply(world, one);
      await sync(world, client, pageSize, async () => {
        for (const one of between) await apply(world, one);
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

async function apply(world: SyncWorld, change: Edit): Promise<void> {
  const { fake } = world;
  const store = fake.events(CALENDAR);
  switch (change.kind) {
    case 'single':
      fake.put(
        CALENDAR,
        fakeEvent(`e${change.index}`, {
          title: change.title,
          updatedAt: updatedOn(change.day),
          ...timesOf(change.day, change.allDay),
        }),
      );
      return;
    case 'series':
      for (const event of [...store.values()])
        if (event.seriesId === change.series) store.delete(event.providerEventId);
      fake.put(
        CALENDAR,
        fakeEvent(change.series, {
          title: change.title,
          ...timesOf(change.day, change.allDay),
          recurrence: [`RRULE:FREQ=DAILY;INTERVAL=${change.interval};COUNT=${change.count}`],
        }),
      );
      fake.touchSeries(CALENDAR, change.series);
      return;
    case 'move':
    case 'cancel':
    case 'restore':
      changeSlot(world, change);
      return;
    case 'remove':
      if (store.has(change.id)) fake.remove(CALENDAR, change.id);
      return;
    case 'zone':
      fake.switches.pageZone = change.zone;
      return;
    case 'expire':
      fake.expireTokens();
      return;
    case 'whole':
      fake.switches.wholeSeries = change.whole;
      return;
    case 'names':
      fake.switches.namesOnly = change.only;
      return;
    case 'ours':
      await ourEdit(world, `e${change.index}`, change.title, change.day);
  }
}

function changeSlot(world: SyncWorld, change: Extract<Edit, { kind: 'move' | 'cancel' | 'restore' }>): void {
  const { fake } = world;
  const master = fake.events(CALENDAR).get(change.series);
  if (master === undefined) return;
  const first = Date.parse(`${master.content!.start.dateTime.slice(0, 19)}Z`);
  const [, interval, count] = /INTERVAL=(\d+);COUNT=(\d+)/.exec(master.content!.recurrence![0]!)!;
  const wallMs = first + (change.index % Number(count)) * Number(interval) * DAY_MS;
  const slot = master.content!.isAllDay
    ? ({ kind: 'date', date: new Date(wallMs).toISOString().slice(0, 10) } as const)
    : ({ kind: 'instant', startMs: instantOf('America/New_York', wallMs) } as const);
  const id = `x-${change.series}-${wallMs}`;
  if (change.kind === 'move') {
    const times = timesOf(change.day, master.content!.isAllDay);
    fake.put(CALENDAR, fakeException(id, change.series, slot, { title: change.title, ...times }));
  } else if (change.kind === 'cancel') {
    fake.put(CALENDAR, cancelledSlot(change.series, slot, id));
  } else if (fake.events(CALENDAR).delete(id)) {
    fake.touchSeries(CALENDAR, change.series);
  }
}

/** A write through our own interface, of an event that may be gone. */
async function ourEdit(world: SyncWorld, id: string, newTitle: string, onDay: number): Promise<void> {
  if (!world.fake.events(CALENDAR).has(id)) return;
  const body = { title: newTitle, ...timesOf(onDay, false), isAllDay: false };
  await world.events.update(CALLER, ACCOUNT, CALENDAR, id, body);
}

/** Not unique, and in no order of ids. */
function updatedOn(onDay: number): string {
  return new Date(BASE_MS - ((onDay * 7) % 5) * DAY_MS).toISOString();
}

function timesOf(onDay: number, isAllDay: boolean) {
  const date = (offset: number) => new Date(BASE_MS + (onDay + offset) * DAY_MS).toISOString().slice(0, 10);
  if (isAllDay) return allDay(date(0), date(1));
  const start = instantOf('America/New_York', Date.parse(`${date(0)}T20:30:00Z`));
  const point = (ms: number) => ({ dateTime: formatInstant('America/New_York', ms), timeZone: 'America/New_York' });
  return { start: point(start), end: point(start + 5_400_000), isAllDay: false };
}
