import { type RawBuilder, sql } from 'kysely';
import type { SqlContext } from './context.ts';
import type { SqlDialect } from './dialect.ts';
import { initialSchema } from './migrations/0001-initial.ts';
import { privateContent } from './migrations/0002-private-content.ts';

const MIGRATIONS: readonly {
  readonly name: string;
  readonly statements: (dialect: SqlDialect) => readonly RawBuilder<unknown>[];
}[] = [
  { name: '0001-initial', statements: initialSchema },
  { name: '0002-private-content', statements: privateContent },
];

/**
 * Brings the schema up to date in one transaction. Safe to call from several processes at once; idempotent.
 * @throws Error when the database has been migrated by a later version of this package
 */
export async function migrate({ database, dialect }: SqlContext): Promise<void> {
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
