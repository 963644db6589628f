import fc from 'fast-check';
import type { Engine } from 'kalends';
import type { EventListQuery } from 'kalends/model';
import { instantOf } from 'kalends/zones';
import { describe, expect, test } from 'vitest';
import { EDIT_KINDS, type Edit, FIRST_DAY, ZONE } from '../simulation/edit.ts';
import { type CalendarAddress, type Follower, follower, linesOf, readWhole } from '../simulation/mirrored.ts';
import type { ProviderName } from '../simulation/provider-acts.ts';
import { createSimulatedWorld, engineOn, type SimulatedWorld } from '../simulation/world.ts';
import { sizeOf } from '../size-of.ts';

/**
 * Random people edit at the provider, random clients sync at random moments. After each sync a client holds what a fresh
 * list gives, and the fresh list is what the provider itself says.
 */

const DAY_MS = 86_400_000;
const FROM = FIRST_DAY - 30 * DAY_MS;
const TO = FIRST_DAY + 400 * DAY_MS;
const NEVER_STALE = { freshWithPushMs: 366 * DAY_MS, freshWithoutPushMs: 366 * DAY_MS };

const edit: fc.Arbitrary<Edit> = fc.record({
  // Something has to be there before it can be changed.
  kind: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom('single' as const, 'series' as const) },
    { weight: 5, arbitrary: fc.constantFrom(...EDIT_KINDS) },
  ),
  pick: fc.nat(20),
  slot: fc.nat(8),
  // Berlin puts its clocks forward on the 27th day.
  day: fc.nat(40),
  hour: fc.integer({ min: 0, max: 22 }),
  isAllDay: fc.boolean(),
  rule: fc.record({
    frequency: fc.constantFrom('DAILY' as const, 'WEEKLY' as const),
    interval: fc.integer({ min: 1, max: 3 }),
    count: fc.integer({ min: 2, max: 8 }),
  }),
  title: fc.constantFrom('plan', 'lunch', 'plan b', 'walk'),
});

interface ClientQuery {
  readonly expand: boolean;
  readonly window?: { readonly from: number; readonly to: number };
  readonly search?: string;
  readonly isAllDay?: boolean;
  readonly isCancelled?: boolean;
}

const clientQuery: fc.Arbitrary<ClientQuery> = fc
  .record({
    expand: fc.boolean(),
    window: fc.option(fc.record({ from: fc.nat(35), days: fc.integer({ min: 1, max: 30 }) }), { nil: undefined }),
    search: fc.option(fc.constantFrom('plan', 'lunch'), { nil: undefined, freq: 3 }),
    isAllDay: fc.option(fc.boolean(), { nil: undefined, freq: 3 }),
    isCancelled: fc.option(fc.boolean(), { nil: undefined, freq: 3 }),
  })
  .map(({ window, expand, search, isAllDay, isCancelled }) => ({
    expand,
    ...(window === undefined && !expand ? {} : { window: boundsOf(window ?? { from: 0, days: 60 }) }),
    ...(search === undefined ? {} : { search }),
    ...(isAllDay === undefined ? {} : { isAllDay }),
    ...(isCancelled === undefined ? {} : { isCancelled }),
  }));

function boundsOf({ from, days }: { readonly from: number; readonly days: number }) {
  return { from: FIRST_DAY + from * DAY_MS, to: FIRST_DAY + (from + days) * DAY_MS };
}

const edits = (maxLength: number) =>
  fc.array(fc.tuple(edit, fc.constantFrom(0, 0, 1) as fc.Arbitrary<0 | 1>), { maxLength });

const step = fc.record({
  edits: edits(5),
  client: fc.nat(2),
  limit: fc.integer({ min: 1, max: 6 }),
  /** Changes between the client's first page and the next. */
  between: edits(2),
  /** Whether the provider forgets its sync tokens before. */
  isForgetful: fc.nat(5).map((number) => number === 0),
});

interface Client {
  readonly calendar: 0 | 1;
  readonly query: ClientQuery;
  readonly follower: Follower;
  readonly process: number;
}

function httpQuery({ expand, window, search, isAllDay, isCancelled }: ClientQuery): EventListQuery {
  return {
    expandRecurrences: expand ? 'true' : 'false',
    ...(window === undefined
      ? {}
      : { startDateTime: new Date(window.from).toISOString(), endDateTime: new Date(window.to).toISOString() }),
    ...(search === undefined ? {} : { search }),
    ...(isAllDay === undefined ? {} : { isAllDay: isAllDay ? 'true' : 'false' }),
    ...(isCancelled === undefined ? {} : { isCancelled: isCancelled ? 'true' : 'false' }),
  } as EventListQuery;
}

describe.each(['google', 'microsoft'] as const)('%s', (provider) => {
  test('clients that follow their sync tokens hold what the provider has', { timeout: 900_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(clientQuery, { minLength: 3, maxLength: 3 }),
        fc.array(step, { minLength: 3, maxLength: 8 }),
        (queries, steps) => play(provider, queries, steps),
      ),
      { numRuns: sizeOf('runs', { short: 8, long: 80 }) },
    );
  });
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function play(provider: ProviderName, queries: readonly ClientQuery[], steps: readonly Step[]): Promise<void> {
  const world = await createSimulatedWorld({ provider, seed: 1 });
  try {
    // Seeds 1 and 2 are the world's own: engines of one seed would make the same ids.
    const engines = [3, 4].map((seed) =>
      engineOn({
        storage: world.storage,
        fetch: world.reach,
        clock: world.time,
        seed,
        // Every read pulls first.
        sync: { freshWithPushMs: 1, freshWithoutPushMs: 1 },
      }),
    );
    const clients = queries.map((query, number): Client => {
      const calendar = number === 1 ? 1 : 0;
      return { calendar, query, follower: follower(httpQuery(query)), process: number % engines.length };
    });
    for (const { edits: before, between, client: number, limit, isForgetful } of steps) {
      const client = clients[number]!;
      await change(world, before);
      if (isForgetful) forget(world);
      await sync(world, client, engines[client.process]!, limit, () => change(world, between, world.time.sleep));
      // Changes between the pages are in the mirror by now, and not in that result.
      await sync(world, client, engines[client.process]!, limit);
      await check(world, client);
    }
  } finally {
    await world.close();
  }
}

/** One complete sync: every page of it. */
async function sync(
  world: SimulatedWorld,
  client: Client,
  engine: Engine,
  limit: number,
  between: () => Promise<void> = async () => undefined,
): Promise<void> {
  await world.time.pass(1_000);
  const query = { ...client.follower.next(), limit: String(limit) };
  client.follower.apply(await world.time.until(readWhole(engine, addressOf(world, client), query, between)));
}

function addressOf(world: SimulatedWorld, { calendar }: Pick<Client, 'calendar'>): CalendarAddress {
  const caller = { applicationId: world.applicationId };
  return { caller, accountId: world.accountId, calendarId: world.person.calendarIds[calendar] };
}

/** `wait` lets time pass after each change; a caller that time already waits for must not let it pass itself. */
async function change(
  { person, time }: SimulatedWorld,
  changes: readonly (readonly [Edit, 0 | 1])[],
  wait: (ms: number) => Promise<void> = time.pass,
): Promise<void> {
  for (const [one, calendar] of changes) {
    // The provider refused it: nothing has changed.
    await person.edit(one, calendar).catch(refused);
    await wait(10);
  }
}

function refused(error: unknown): void {
  expect(String(error)).toMatch(/answered 4\d\d/);
}

function forget({ sandbox, provider }: SimulatedWorld): void {
  const { controls } = sandbox[provider];
  if (provider === 'google') controls['expireSyncTokens']!({});
  else controls['expireDeltaTokens']!({});
}

async function check(world: SimulatedWorld, client: Client): Promise<void> {
  const observer = engineOn({ ...world, fetch: world.reach, clock: world.time, seed: 5, sync: NEVER_STALE });
  const address = addressOf(world, client);
  const fresh = follower(client.follower.query);
  fresh.apply(await world.time.until(readWhole(observer, address, { ...fresh.query, limit: '7' })));
  expect(Object.fromEntries(client.follower.held)).toEqual(Object.fromEntries(fresh.held));
  const occurrences = await world.person.occurrences(client.calendar, FROM, TO);
  if (client.query.expand && client.query.isCancelled !== true) {
    expect(linesOf(fresh.held.values())).toEqual(occurrences.filter((line) => admits(client.query, line)));
  }
  const bounds = { startDateTime: new Date(FROM).toISOString(), endDateTime: new Date(TO).toISOString() };
  const wide = await world.time.until(readWhole(observer, address, { ...bounds, expandRecurrences: 'true' }));
  expect(linesOf(wide.data)).toEqual(occurrences);
}

/** Whether the provider's line matches a query, read off the line itself. */
function admits({ window, search, isAllDay }: ClientQuery, line: string): boolean {
  const [, , title, start, end] = line.split(' | ') as [string, string, string, string, string];
  const isDate = start.length === 10;
  const at = (text: string) => (isDate ? instantOf(ZONE, Date.parse(text)) : Date.parse(text));
  if (isAllDay !== undefined && isAllDay !== isDate) return false;
  if (search !== undefined && !title.includes(search)) return false;
  return window === undefined || (at(start) >= window.from && at(end) <= window.to);
}
