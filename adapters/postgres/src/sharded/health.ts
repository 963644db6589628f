import { type Finding, type HealthStore, STATS_LIMIT, type StorageState, type StorageStats } from 'kalends/ports';
import type { ShardedContext } from './context.ts';
import type { Shard } from './shard.ts';
import { readShardName } from './shard-names.ts';
import { least } from './sums.ts';

/** Reports the state of all shards. One that is away changes nothing about the others, except in a diagnosis. */
export function shardedHealth({ shards, places }: ShardedContext): HealthStore {
  const listMissing = async () => (await places.names()).filter((name) => !shards.has(name));
  return {
    databases: {
      given: shards.all.map((shard) => ({ name: shard.name, address: shard.address, health: ownHealth(shard) })),
      async countMissing() {
        const missing = await listMissing();
        const counts = missing.length === 0 ? new Map<string, number>() : await places.count();
        return missing.map((name) => ({ name, accounts: counts.get(name) ?? 0 }));
      },
    },
    async schema() {
      const states = await Promise.all(shards.all.map(({ storage }) => storage.health.schema()));
      const missing = [...new Set(states.flatMap((state) => state.missing))].sort();
      const applied = [...new Set(states.flatMap((state) => state.applied))].sort();
      return { applied: applied.filter((name) => !missing.includes(name)), missing };
    },
    async migrationSql() {
      const texts = await Promise.all(
        shards.all.map(async ({ name, storage }) => {
          const statements = await storage.health.migrationSql();
          return statements.map((text, index) =>
            index === 0 ? `-- in the database of the shard "${name}"\n${text}` : text,
          );
        }),
      );
      return texts.flat();
    },
    async inspect() {
      const [states, missing] = await Promise.all([
        shards.peekReachable(({ health }) => health.inspect()),
        // Before the first migration there is no list of places.
        listMissing().catch(() => []),
      ]);
      const [home] = states;
      if (home === undefined) throw new Error('The home database gave no state');
      const ofShards = shards.all.flatMap(({ name, isHome }, index) => {
        const problem = isHome ? undefined : problemOf(states[index], home);
        return problem === undefined ? [] : [{ database: name, problem }];
      });
      const troubles = [...ofShards, ...missing.map((database) => ({ database, problem: UNKNOWN }))];
      return troubles.length === 0 ? home : { ...home, troubles };
    },
    reach: () => shards.home.storage.health.reach(),
    async diagnose(signal) {
      const findings = await Promise.all(
        shards.all.map(async ({ name, storage }) => {
          const found = await storage.health.diagnose(signal);
          return found.map((finding) => ({ ...finding, message: `${name}: ${finding.message}` }));
        }),
      );
      return worstOfEach(findings.flat());
    },
    async setZoneData(version, options) {
      if (options?.ifNone !== true) {
        await shards.workInReachable(({ health }) => health.setZoneData(version, options));
        return;
      }
      // The home database decides which process was the first.
      const { health } = shards.home.storage;
      await health.setZoneData(version, options);
      const { zoneData } = await health.inspect();
      await shards.workInReachable((storage) => storage.health.setZoneData(zoneData ?? version, options));
    },
    async stats() {
      const all = await shards.askReachable(({ health }) => health.stats());
      const sum = (of: (stats: StorageStats) => number) =>
        Math.min(
          STATS_LIMIT,
          all.reduce((total, stats) => total + of(stats), 0),
        );
      return {
        now: all[0]?.now ?? 0,
        dueCollections: sum((stats) => stats.dueCollections),
        oldestDueAt: least(all.map((stats) => stats.oldestDueAt)),
        dueDeliveries: sum((stats) => stats.dueDeliveries),
        oldestDeliveryDueAt: least(all.map((stats) => stats.oldestDeliveryDueAt)),
        overdueRenewals: sum((stats) => stats.overdueRenewals),
        oldestRenewalDueAt: least(all.map((stats) => stats.oldestRenewalDueAt)),
        unreadableObjects: sum((stats) => stats.unreadableObjects),
        expiringClientSecrets: sum((stats) => stats.expiringClientSecrets),
      };
    },
  };
}

const UNKNOWN = 'has accounts, but is missing in the configuration of this process (KALENDS_SHARDS)';

/** Says why the accounts of a shard cannot be served; undefined when they can. */
function problemOf(state: StorageState | undefined, home: StorageState): string | undefined {
  if (state === undefined) return 'does not answer';
  if (state.fault !== null) return `is faulty: ${state.fault}`;
  if (!state.isMigrated) return 'lacks migrations of this version: run "kalends migrate"';
  if (state.zoneData === home.zoneData || state.zoneData === null) return undefined;
  return `expects tz data ${state.zoneData}: run "kalends migrate"`;
}

/** The health of one shard, whose diagnosis also tells whether it is the shard that it was given as. */
function ownHealth({ storage, read, label, isHome }: Shard): HealthStore {
  const { health } = storage;
  const identity = async (): Promise<readonly Finding[]> => {
    const check = 'databaseName';
    // A database without tables has no name yet.
    const fact = await readShardName(read).catch(() => undefined);
    if (fact === undefined || fact === label) return [];
    const message = `The database given as "${label}" is that of "${fact}".`;
    const remedy = `Give each database the name that it began with in KALENDS_SHARDS${isHome ? ', and the home database in KALENDS_DATABASE_URL' : ''}.`;
    return [{ check, status: 'failed', message, remedy }];
  };
  return {
    ...health,
    async diagnose(signal) {
      return [...(await health.diagnose(signal)), ...(await identity())];
    },
  };
}

const WORST_FIRST = ['failed', 'warning', 'ok', 'skipped'];

/** Keeps of each check the worst finding, with the messages of all that are as bad. */
function worstOfEach(findings: readonly Finding[]): readonly Finding[] {
  const kept = new Map<string, Finding>();
  for (const finding of findings) {
    const known = kept.get(finding.check);
    const isWorse = known === undefined || rankOf(finding) < rankOf(known);
    if (isWorse) kept.set(finding.check, finding);
    else if (rankOf(finding) === rankOf(known)) {
      kept.set(finding.check, { ...known, message: `${known.message}; ${finding.message}` });
    }
  }
  return [...kept.values()];
}

const rankOf = ({ status }: Finding) => WORST_FIRST.indexOf(status);
