import { createSandbox } from '@kalends/sandbox';
import { systemRandom } from 'kalends/runtime';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENT } from '../../../../test/engine-world.ts';
import { createReceiver } from '../../../../test/interface/receiver.ts';
import { sizeOf } from '../../../../test/size-of.ts';
import { type Fleet, startFleet } from '../crash/fleet.ts';
import { createFollower, freshList } from '../crash/fleet-clients.ts';
import { startPostgres } from '../server/start-postgres.ts';
import { SHARDS } from './sharded-databases.ts';
import { shardedEngineOn } from './sharded-process.ts';

const ACCOUNTS = sizeOf('accounts', { short: 4, long: 30 });
/** Moves of each account. */
const MOVES = sizeOf('moves', { short: 2, long: 2 });
const WRITES_PER_MOVE = 2;
/** Processes that are killed, movers among them. */
const KILLS = sizeOf('kills', { short: 1, long: 5 });
/** Crashes of a database server. */
const RESTARTS = sizeOf('restarts', { short: 1, long: 2 });
const PROCESSES = 3;
const AT_ONCE = 8;
/** Leases of those who were killed are over sooner, but not so soon that those of a busy process run out. */
const SPEED = 2;
const DELIVERY_MS = 120_000;
/** Ids in the body of a message. */
const ID = /"id":"[^"]+"/g;
const PROGRAM = new URL('sharded-process.ts', import.meta.url).href;

interface Storm {
  readonly fleet: Fleet;
  readonly applicationId: string;
  readonly counts: { writes: number; moves: number; deadTokens: number };
  /** Called after each move. */
  moved(): void;
}

interface Account {
  readonly accountId: string;
  readonly events: string;
  /** Ids of the events whose creation was acknowledged. */
  readonly written: string[];
  readonly follower: ReturnType<typeof createFollower>;
}

/** Follows by the account's token; a token that is refused is counted, and the list begun anew. */
async function follow({ counts, fleet }: Storm, account: Account): Promise<Account> {
  try {
    await account.follower.follow();
    return account;
  } catch (error) {
    if ((error as { readonly status?: number }).status !== 410) throw error;
    counts.deadTokens += 1;
    const follower = createFollower(fleet, account.events, {});
    await follower.follow();
    return { ...account, follower };
  }
}

/** Moves an account around while a client writes to it and another follows it. */
async function play(storm: Storm, given: Account): Promise<Account> {
  const { fleet, counts, applicationId } = storm;
  let account = await follow(storm, given);
  for (let move = 0; move < MOVES; move += 1) {
    const shard = SHARDS[Math.floor(systemRandom.fraction() * SHARDS.length)];
    const moving = fleet.ask(`move/${applicationId}/${account.accountId}/${shard}`);
    for (let write = 0; write < WRITES_PER_MOVE; write += 1) {
      const title = `${account.accountId} ${move} ${write}`;
      const body = { title, start: { dateTime: '2026-04-01T09:00:00', timeZone: 'Europe/Berlin' } };
      const answer = await fleet.ask(account.events, { method: 'POST', body, idempotencyKey: title });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      account.written.push(answer.body.id);
      counts.writes += 1;
      account = await follow(storm, account);
    }
    expect(await moving).toMatchObject({ status: 200 });
    counts.moves += 1;
    storm.moved();
  }
  return await follow(storm, account);
}

async function inParallel<Row, Result>(rows: readonly Row[], work: (row: Row) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const rest = [...rows.entries()];
  const worker = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** Makes two databases on each server; the home database is on the first. */
async function databasesOn(servers: readonly string[]): Promise<readonly string[]> {
  const urls: string[] = [];
  for (const server of servers) {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query('create database second');
    await client.end();
    const second = new URL(server);
    second.pathname = '/second';
    urls.push(server, second.href);
  }
  return urls;
}

test(`${ACCOUNTS} accounts move ${MOVES} times: ${KILLS} kills, ${RESTARTS} crashes of a server`, {
  timeout: 3_600_000,
}, async () => {
  const sandbox = createSandbox({ seed: 7 });
  onTestFinished(() => sandbox.close());
  const { url: providers } = await sandbox.listen();
  sandbox.google.addClient({ ...CLIENT, redirectUris: [] });
  const servers = await Promise.all([startPostgres(), startPostgres()]);
  for (const server of servers) onTestFinished(() => server.stop());
  const urls = await databasesOn(servers.map(({ url }) => url));
  const passing = { startedAt: Date.now(), speed: SPEED };
  const settings = { database: urls.join(','), providers, passing };
  const receiver = await createReceiver();
  onTestFinished(() => receiver.close());

  const front = shardedEngineOn(settings);
  await front.engine.start({ background: false });
  const { id: applicationId } = await front.engine.applications.create({ name: 'Test', redirectUrls: [] });
  const caller = { applicationId };
  await front.engine.oauthClients.set(applicationId, 'PROVIDER_A', CLIENT);
  const { key } = await front.engine.apiKeys.create(applicationId, { name: 'Test', expiresAt: null });
  const connected = await inParallel(
    Array.from({ length: ACCOUNTS }, (_, index) => `person${index}@gmail.example`),
    async (email) => {
      sandbox.google.addMailbox({ email, name: email, timeZone: 'Europe/London' });
      const refreshToken = sandbox.google.issueRefreshToken({ email, clientId: CLIENT.clientId });
      const { account } = await front.engine.accounts.upsert(caller, {
        email,
        providerType: 'PROVIDER_A',
        refreshToken,
      });
      const { data } = await front.engine.calendars.list(caller, account.id, {});
      const calendarId = data.find((calendar) => 'isPrimary' in calendar && calendar.isPrimary)?.id ?? '';
      const webhookUrl = `${receiver.url}/${account.id}`;
      await front.engine.subscriptions.create(caller, account.id, { calendarId, webhookUrl, detail: 'record' });
      return { accountId: account.id, events: `events/${account.id}/${encodeURIComponent(calendarId)}` };
    },
  );
  const fleet = await startFleet(settings, PROCESSES, key, PROGRAM);
  onTestFinished(() => fleet.close());

  const waiting: { readonly moves: number; readonly go: () => void }[] = [];
  const counts = { writes: 0, moves: 0, deadTokens: 0 };
  const moved = () => {
    for (const { moves, go } of waiting) if (counts.moves >= moves) go();
  };
  const reached = (moves: number) =>
    new Promise<void>((go) => {
      waiting.push({ moves, go });
      // The last move may have ended while a killed process was started again.
      moved();
    });
  const strike = async (count: number, offset: number, blow: () => Promise<void>) => {
    for (let done = 0; done < count; done += 1) {
      await reached(Math.floor(((done + offset) * ACCOUNTS * MOVES) / count));
      await blow();
    }
  };
  const storm = { fleet, applicationId, counts, moved };
  const [accounts] = await Promise.all([
    inParallel(connected, (row) =>
      play(storm, { ...row, written: [], follower: createFollower(fleet, row.events, {}) }),
    ),
    strike(KILLS, 0.3, () => fleet.kill()),
    strike(RESTARTS, 0.6, async () => servers[1]?.restart('immediate')),
  ]);

  let lostWrites = 0;
  for (const { events, written, follower } of accounts) {
    const fresh = await freshList(fleet, events, {});
    expect(follower.held()).toEqual(fresh);
    lostWrites += written.filter((id) => !fresh.some((event) => event.id === id)).length;
  }
  const untold = () => {
    const ids = new Set(receiver.received.flatMap(({ body }) => body.match(ID) ?? []));
    return accounts.flatMap(({ written }) => written).filter((id) => !ids.has(`"id":${JSON.stringify(id)}`));
  };
  await expect
    .poll(untold, { timeout: DELIVERY_MS, interval: 500 })
    .toEqual([])
    .catch(() => undefined);
  const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  const duplicates = ids.length - new Set(ids).size;
  const places = await front.storage.countPlaces();
  console.log(
    `${ACCOUNTS} accounts, ${counts.moves} moves, ${counts.writes} writes, ${KILLS} kills, ${RESTARTS} crashes of a server: ` +
      `${lostWrites} writes lost, ${counts.deadTokens} tokens dead, ${untold().length} deliveries lost, ` +
      `${duplicates} of ${ids.length} messages twice; ${places.map(({ shard, accounts: n }) => `${shard} ${n}`).join(', ')}`,
  );
  await front.engine.stop();
  expect(lostWrites).toBe(0);
  expect(counts.deadTokens).toBe(0);
  expect(untold()).toEqual([]);
  // A kill may double what is in flight: many in a short run, for its few messages.
  expect(duplicates).toBeLessThan(Math.max(0.05 * ids.length, (KILLS + RESTARTS) * AT_ONCE));
  expect(places.reduce((sum, { accounts: count }) => sum + count, 0)).toBe(ACCOUNTS);
});
