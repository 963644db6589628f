import type { SchemaState } from 'kalends/ports';
import { type RawBuilder, sql } from 'kysely';
import type { SqlContext } from './context.ts';
import type { SqlDialect } from './dialect.ts';
import { initialSchema } from './migrations/0001-initial.ts';
import { privateContent } from './migrations/0002-private-content.ts';
import { intents } from './migrations/0003-intents.ts';
import { syncState } from './migrations/0004-sync-state.ts';
import { webhookTargets } from './migrations/0005-webhook-targets.ts';
import { scale } from './migrations/0006-scale.ts';
import { facts } from './migrations/0008-facts.ts';
import { commitMarks } from './migrations/0009-commit-marks.ts';
import { outboxRows } from './migrations/0010-outbox-rows.ts';
import { coolDowns } from './migrations/0011-cool-downs.ts';
import { usedStates } from './migrations/0012-used-states.ts';
import { endedCalendars } from './migrations/0013-ended-calendars.ts';

const MIGRATIONS: readonly {
  readonly name: string;
  readonly statements: (dialect: SqlDialect) => readonly RawBuilder<unknown>[];
}[] = [
  { name: '0001-initial', statements: initialSchema },
  { name: '0002-private-content', statements: privateContent },
  { name: '0003-intents', statements: intents },
  { name: '0004-sync-state', statements: syncState },
  { name: '0005-webhook-targets', statements: webhookTargets },
  { name: '0006-scale', statements: scale },
  { name: '0008-facts', statements: facts },
  { name: '0009-commit-marks', statements: commitMarks },
  { name: '0010-outbox-rows', statements: outboxRows },
  { name: '0011-cool-downs', statements: coolDowns },
  { name: '0012-used-states', statements: usedStates },
  { name: '0013-ended-calendars', statements: endedCalendars },
];

/**
 * Brings the schema up to date in one transaction. Safe to call from several processes at once; idempotent.
 * @throws Error when the database has been migrated by a later version of this package
 */
export async function migrate(context: SqlContext): Promise<void> {
  const { database, dialect } = context;
  // Nothing to do needs no lock, and no right to make tables. Without the table the question itself fails.
  if (await isMigrated(context).catch(() => false)) return;
  await dialect.transaction(database, async (transaction) => {
    await dialect.lockSchema(transaction);
    await sql`create table if not exists kalends_migration (name ${dialect.ddl.text} primary key)`.execute(transaction);
    const rows = await transaction.selectFrom('kalends_migration').select('name').execute();
    const applied = new Set(rows.map(({ name }) => name));
    const unknown = rows.filter((row) => !MIGRATIONS.some(({ name }) => name === row.name));
    if (unknown.length > 0) {
      throw new Error(`The database has migrations of a later version: ${unknown.map(({ name }) => name).join(', ')}`);
    }
    const missing = MIGRATIONS.filter((migration) => !applied.has(migration.name));
    for (const { name, statements } of missing) {
      for (const statement of statements(dialect)) await statement.execute(transaction);
      await transaction.insertInto('kalends_migration').values({ name }).execute();
    }
    if (missing.length > 0) await dialect.afterMigration(transaction);
  });
}

/** What has been applied and what is missing. Without the table of migrations the question fails: nothing has been applied. */
export async function readSchema({ reader }: SqlContext): Promise<SchemaState> {
  const rows = await reader
    .selectFrom('kalends_migration')
    .select('name')
    .orderBy('name')
    .execute()
    .catch(() => []);
  const applied = rows.map(({ name }) => name);
  return { applied, missing: MIGRATIONS.map(({ name }) => name).filter((name) => !applied.includes(name)) };
}

/** Whether the database has exactly the migrations of this version. @throws what the driver threw */
export async function isMigrated({ reader }: SqlContext): Promise<boolean> {
  const rows = await reader.selectFrom('kalends_migration').select('name').execute();
  return rows.length === MIGRATIONS.length && rows.every((row) => MIGRATIONS.some(({ name }) => name === row.name));
}
