import { type AccountRow, type Clock, KalendsError, type Storage } from 'kalends/ports';
import { checkProcessPorts, monotonicClock, steadyLogger } from 'kalends/runtime';
import { withinGoodbye } from '../goodbye.ts';
import { checkOptionNames } from '../options.ts';
import { shardedAccounts } from './accounts.ts';
import { shardedAudit } from './audit.ts';
import { shardedChannels } from './channels.ts';
import type { ShardedContext } from './context.ts';
import { shardedDataKeys } from './data-keys.ts';
import { shardedErasure } from './erasure.ts';
import { shardedHealth } from './health.ts';
import { shardedHolds } from './holds.ts';
import { shardedImports } from './imports.ts';
import { shardedIntents } from './intents.ts';
import { createKnownIds } from './known-ids.ts';
import { shardedLeases } from './leases.ts';
import { shardedMirror, shardedReads } from './mirror.ts';
import { createMoves } from './moves.ts';
import { shardedOutbox } from './outbox.ts';
import { watchPendingMoves } from './pending-moves.ts';
import { createPlacement } from './placement.ts';
import { createPlaces, type Place } from './places.ts';
import { shardedPulls } from './pulls.ts';
import { shardedEndpoints, shardedSubscriptions, shardedTargets } from './receivers.ts';
import { createReconciliation } from './reconcile.ts';
import { createRouter } from './router.ts';
import { shardedSchedule } from './schedule.ts';
import { createShard, type Shard, type ShardOptions } from './shard.ts';
import { createShardSet } from './shard-set.ts';

/** One database, described as for `postgres`, with its name. */
export interface ShardedDatabase extends ShardOptions {
  /** Names the database for good: 1 to 63 lower-case letters, digits, `-` and `_`. */
  readonly name: string;
  /** Whether new accounts are placed there. @default true */
  readonly takesNewAccounts?: boolean;
}

export interface ShardedStorageOptions {
  /**
   * The first one is the home database, for good: it has what belongs to no single account. A database is added by a start with
   * a longer list, in every process; accounts are not spread anew by it.
   */
  readonly shards: readonly ShardedDatabase[];
  /** Returns the name of the shard for a new account. @default the one with the fewest accounts */
  readonly place?: (account: AccountRow) => string;
  /** Measures the age of what is known of places, and waits. It must never be set back. @default the process's monotonic clock */
  readonly clock?: Clock;
}

/** A storage over several databases. */
export interface ShardedStorage extends Storage {
  /**
   * Moves an account with everything it has to another shard. Reads go on; writes wait while its rows are copied. Tokens,
   * subscriptions, messages, ids and idempotency keys stay valid. Without effect when it is there already.
   * @throws KalendsError NotFound when there is no such account, InvalidRequest when there is no such shard, Conflict when it is
   * being moved already or work on it does not pause (retryable)
   */
  moveAccount(applicationId: string, accountId: string, shard: string): Promise<void>;
  /** Returns where an account is; undefined when there is none of the id. */
  findPlace(accountId: string): Promise<AccountPlace | undefined>;
  /** Lists where accounts are, by their ids, beyond `after`; those of one shard when it is named. */
  listPlaces(input: {
    readonly after?: string;
    readonly shard?: string;
    readonly limit: number;
  }): Promise<readonly AccountPlace[]>;
  /** Counts the accounts of each shard, in the order of the options. */
  countPlaces(): Promise<readonly { readonly shard: string; readonly accounts: number }[]>;
}

/** Where an account is, and whether it is being moved. */
export type AccountPlace = Pick<Place, 'accountId' | 'applicationId' | 'shard' | 'movingTo' | 'movedFrom'>;

const NAME = /^[a-z0-9_-]{1,63}$/;

/**
 * Creates a storage over several PostgreSQL databases. An account and all it has are in one of them; what belongs to no single
 * account is in the first. A database that is away costs its own accounts a StorageUnavailableError, and no others anything; the
 * first one costs all.
 * @throws KalendsError InvalidRequest for wrong options
 * @example
 * const storage = shardedStorage({
 *   shards: [
 *     { name: 'home', connectionString: 'postgres://kalends@db-0/kalends' },
 *     { name: 'one', connectionString: 'postgres://kalends@db-1/kalends' },
 *   ],
 * });
 * await storage.open();
 */
export function shardedStorage(options: ShardedStorageOptions): ShardedStorage {
  return createSharded(options);
}

/** @param through stands between moves and each database, for tests that end a process at a statement of one */
export function createSharded(
  { shards: given, place, clock = monotonicClock }: ShardedStorageOptions,
  through = (shard: Shard): Shard => shard,
): ShardedStorage {
  checkShards(given);
  const databases = given.map(
    (database): ShardedDatabase =>
      database.logger === undefined ? database : { ...database, logger: steadyLogger(database.logger) },
  );
  const shards = createShardSet(databases.map((database, index) => createShard(database, index === 0, clock)));
  const { home } = shards;
  const logger = databases[0]?.logger;
  const places = createPlaces(home, clock);
  const moves = createMoves({ shards: createShardSet(shards.all.map(through)), places, clock });
  const router = createRouter({ shards, places, clock, recover: moves.recover });
  const context: ShardedContext = {
    shards,
    places,
    router,
    targets: createKnownIds(shards, 'kalends_target'),
    intents: createKnownIds(shards, 'kalends_intent'),
    channels: createKnownIds(shards, 'kalends_channel'),
  };
  const open = databases.filter(({ takesNewAccounts = true }) => takesNewAccounts).map(({ name }) => name);
  const choose = createPlacement({ shards, places, clock, open, place });
  let endWatch: (() => Promise<void>) | undefined;
  const { applications, providerConfigs, apiKeys, feeds, usedStates, measurements } = home.storage;
  return {
    async open() {
      await home.use(async () => {});
      // One that is away is opened when it is back.
      await shards.workInReachable(async () => {});
      for (const shard of shards.all) {
        if (!shard.isAway()) continue;
        logger?.warn('the database of a shard cannot be reached', { shard: shard.name, address: shard.address });
      }
      // No refusal: the accounts of the others are served, and a database is added while some processes do not know it yet.
      for (const name of (await places.names()).filter((each) => !shards.has(each))) {
        logger?.error('accounts are in a shard that this process was not given (KALENDS_SHARDS)', { shard: name });
      }
      endWatch ??= watchPendingMoves(home, moves, logger);
    },
    async close() {
      // The watch ends first: a request for a connection that meets the end of its pool gets no answer. One that hangs is left.
      await withinGoodbye(async () => await endWatch?.());
      await Promise.all(shards.all.map((shard) => shard.close()));
    },
    ...{ applications, providerConfigs, apiKeys, feeds, usedStates, measurements },
    audit: shardedAudit(home),
    accounts: shardedAccounts(shards, places, choose),
    imports: shardedImports(context),
    mirror: shardedMirror(context),
    reads: shardedReads(context),
    pulls: shardedPulls(context),
    schedule: shardedSchedule(context),
    leases: shardedLeases(context, createReconciliation({ shards, places, moves, clock })),
    intents: shardedIntents(context),
    holds: shardedHolds(context),
    channels: shardedChannels(context),
    subscriptions: shardedSubscriptions(context),
    endpoints: shardedEndpoints(context),
    targets: shardedTargets(context),
    outbox: shardedOutbox(context),
    dataKeys: shardedDataKeys(context),
    erasure: shardedErasure(context),
    health: shardedHealth(context),
    commits: { subscribe: toAll(shards.all, (shard, listener) => shard.storage.commits.subscribe(listener)) },
    changes: { subscribe: toAll(shards.all, (shard, listener) => shard.storage.changes?.subscribe(listener)) },
    moveAccount: moves.move,
    findPlace: async (accountId) => (await places.read(accountId)).place,
    listPlaces: places.list,
    async countPlaces() {
      const counts = await places.count();
      return shards.all.map(({ name }) => ({ shard: name, accounts: counts.get(name) ?? 0 }));
    },
  };
}

/** Subscribes a listener to every shard. */
function toAll<Listener>(
  shards: readonly Shard[],
  subscribe: (shard: Shard, listener: Listener) => (() => void) | undefined,
): (listener: Listener) => () => void {
  return (listener) => {
    const ends = shards.map((shard) => subscribe(shard, listener));
    return () => {
      for (const end of ends) end?.();
    };
  };
}

function checkShards(shards: readonly ShardedDatabase[]): void {
  if (!Array.isArray(shards)) throw invalid('shards', 'must be a list of databases');
  for (const [index, shard] of shards.entries()) {
    checkOptionNames(shard, ['name', 'takesNewAccounts'], `shards[${index}].`);
    // Each is passed on within a steady one, which would hide its kind.
    checkProcessPorts({ logger: shard.logger });
  }
  const names = shards.map(({ name }) => name);
  if (shards.length === 0) throw invalid('shards', 'must have at least one database');
  if (!shards.some(({ takesNewAccounts = true }) => takesNewAccounts)) {
    throw invalid('shards', 'must have a database that takes new accounts');
  }
  for (const [index, name] of names.entries()) {
    const path = `shards[${index}].name`;
    if (!NAME.test(name)) throw invalid(path, 'must be 1 to 63 lower-case letters, digits, - and _');
    if (names.indexOf(name) !== index) throw invalid(path, 'must differ from the others');
    // A move reads the list of places while it holds a connection.
    if ((shards[index]?.maxConnections ?? 2) < 2)
      throw invalid(`shards[${index}].maxConnections`, 'must be at least 2');
  }
}

function invalid(path: string, message: string): KalendsError {
  return new KalendsError('InvalidRequest', `${path}: ${message}`, { details: [{ path, message }] });
}
