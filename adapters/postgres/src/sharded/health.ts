import { type Finding, type HealthStore, STATS_LIMIT, type StorageStats } from 'kalends/ports';
import type { ShardedContext } from './context.ts';
import { least } from './sums.ts';

/** Reports the state of all shards. One that is away changes nothing about the others, except in a diagnosis. */
export function shardedHealth({ shards }: ShardedContext): HealthStore {
  return {
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
      const states = await shards.peekReachable(({ health }) => health.inspect());
      const zones = new Set(states.map(({ zoneData }) => zoneData));
      return {
        isMigrated: states.every(({ isMigrated }) => isMigrated),
        zoneData: zones.size === 1 ? (states[0]?.zoneData ?? null) : ([...zones].find((zone) => zone !== null) ?? null),
        fault: states.find(({ fault }) => fault !== null)?.fault ?? null,
      };
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
        await shards.askAll(({ health }) => health.setZoneData(version, options));
        return;
      }
      // The home database decides which process was the first.
      const { health } = shards.home.storage;
      await health.setZoneData(version, options);
      const { zoneData } = await health.inspect();
      await shards.askReachable((storage) => storage.health.setZoneData(zoneData ?? version, options));
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
