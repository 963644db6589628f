import { type HealthStore, SECRET_NOTICE_MS, STATS_LIMIT, type StorageStats } from 'kalends/ports';
import type { SqlContext } from './context.ts';
import { readFact, writeFact } from './facts.ts';
import { compareMigrations, readMigrationSql, readSchema } from './migrations/migrate.ts';
import { statement } from './statements/statement.ts';

export function healthStore(context: SqlContext): HealthStore {
  return {
    schema: () => readSchema(context),
    migrationSql: () => readMigrationSql(context),
    inspect: () => inspect(context),
    async reach() {
      await context.dialect.execute(context.reader, 'select 1', [], false);
    },
    diagnose: async (signal) => (await context.dialect.diagnose?.(context.reader, signal)) ?? [],
    setZoneData: (version, options) => writeFact(context, 'zone-data', version, options),
    stats: () => stats(context),
  };
}

async function inspect(context: SqlContext) {
  const migrations = await compareMigrations(context);
  const zoneData = migrations.isMigrated ? await readFact(context, 'zone-data') : undefined;
  const fault = (await context.dialect.fault?.(context.database)) ?? null;
  return { ...migrations, zoneData: zoneData ?? null, fault };
}

interface Waiting {
  readonly waiting: number;
  readonly oldest: number | null;
}

async function stats({ reader, dialect }: SqlContext): Promise<StorageStats> {
  const now = await dialect.now(reader);
  const run = statement(dialect, reader);
  const [[collections], [deliveries], [renewals], [unreadable], [expiring]] = await Promise.all([
    // A subquery for each of the first: behind a join the server may read all accounts.
    run<Waiting>`select count(*) as waiting, min(at) as oldest from
      (select s.due_at as at from kalends_schedule s where s.is_active = 1 and s.due_at <= ${now}
        and (select a.status from kalends_account a where a.id = s.account_id) = 'ACTIVE'
        order by s.due_at limit ${STATS_LIMIT}) as first_ones`,
    run<Waiting>`select count(*) as waiting, min(at) as oldest from
      (select due_at as at from kalends_delivery where due_at <= ${now} order by due_at limit ${STATS_LIMIT}) as first_ones`,
    run<Waiting>`select count(*) as waiting, min(at) as oldest from
      (select renew_at as at from kalends_channel where renew_at <= ${now} order by renew_at limit ${STATS_LIMIT}) as first_ones`,
    run<Pick<Waiting, 'waiting'>>`select count(*) as waiting from
      (select 1 as listed from kalends_unreadable_object limit ${STATS_LIMIT}) as first_ones`,
    run<Pick<Waiting, 'waiting'>>`select count(*) as waiting from
      (select 1 as listed from kalends_provider_config where secret_expires_at <= ${now + SECRET_NOTICE_MS} limit ${STATS_LIMIT}) as first_ones`,
  ]);
  return {
    now,
    dueCollections: collections?.waiting ?? 0,
    oldestDueAt: collections?.oldest ?? null,
    dueDeliveries: deliveries?.waiting ?? 0,
    oldestDeliveryDueAt: deliveries?.oldest ?? null,
    overdueRenewals: renewals?.waiting ?? 0,
    oldestRenewalDueAt: renewals?.oldest ?? null,
    unreadableObjects: unreadable?.waiting ?? 0,
    expiringClientSecrets: expiring?.waiting ?? 0,
  };
}
