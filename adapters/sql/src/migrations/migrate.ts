import type { SchemaState, StorageState } from 'kalends/ports';
import { type Kysely, sql } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';

/** First migration of the databases from before the first release. */
const UNRELEASED = '0001-initial';

const MIGRATION_TABLE = 'kalends_migration';

/**
 * Brings the schema up to date in one transaction. Safe to call from several processes at once; idempotent.
 * @throws Error when a later version, or one from before the first release, has migrated the database, or when another
 * program has a relation of the same name
 */
export async function migrate(context: SqlContext): Promise<void> {
  const { database, reader, dialect } = context;
  // A current schema needs no lock, and no right to create tables.
  if ((await planStatements(context, reader)).length === 0) return;
  await dialect.transaction(database, async (transaction) => {
    await dialect.lockSchema(transaction);
    for (const text of await planStatements(context, transaction)) await sql.raw(text).execute(transaction);
  });
}

/** Returns the statements that `migrate` would run, under the names of the database. @throws as `migrate` does */
export async function readMigrationSql(context: SqlContext): Promise<readonly string[]> {
  return (await planStatements(context, context.reader)).map(context.names.inText);
}

/** Reads which migrations have been applied and which are missing; a database that cannot be read has none. */
export async function readSchema(context: SqlContext): Promise<SchemaState> {
  const applied = await readApplied(context.reader).catch((): readonly string[] => []);
  return { applied, missing: MIGRATIONS.map(({ name }) => name).filter((name) => !applied.includes(name)) };
}

/** Whether the database has the migrations of this version, and whether it has others. @throws what the driver threw */
export async function compareMigrations({
  reader,
}: SqlContext): Promise<Pick<StorageState, 'isMigrated' | 'hasLaterMigrations'>> {
  const applied = await readApplied(reader);
  return {
    isMigrated: MIGRATIONS.every(({ name }) => applied.includes(name)),
    hasLaterMigrations: unknownOf(applied).length > 0,
  };
}

async function readApplied(database: Kysely<Tables>): Promise<readonly string[]> {
  const rows = await database.selectFrom(MIGRATION_TABLE).select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

async function planStatements(context: SqlContext, database: Kysely<Tables>): Promise<readonly string[]> {
  const { dialect, names } = context;
  const location = await dialect.locate(
    database,
    [MIGRATION_TABLE, ...MIGRATIONS.flatMap((migration) => namesIn(migration, dialect))].map(names.ownName),
  );
  const hasMigrations = location.existing.includes(names.ownName(MIGRATION_TABLE));
  const applied = hasMigrations
    ? await readApplied(database).catch((error: unknown) => {
        if (!dialect.isWrongTable(error)) throw error;
        throw foreignRelation(names.ownName(MIGRATION_TABLE), location.schema, error);
      })
    : [];
  if (!hasMigrations && location.shadowed !== null) throw twoSchemas(location.shadowed, location.schema);
  refuseOthers(applied);
  const missing = MIGRATIONS.filter(({ name }) => !applied.includes(name));
  if (missing.length === 0) return [];
  const taken = missing
    .flatMap((migration) => namesIn(migration, dialect))
    .map(names.ownName)
    .find((name) => location.existing.includes(name));
  if (taken !== undefined) throw foreignRelation(taken, location.schema);
  return [
    ...(location.isSchemaMissing ? [`create schema "${location.schema}"`] : []),
    ...(hasMigrations ? [] : [`create table ${MIGRATION_TABLE} (name ${dialect.ddl.text} primary key)`]),
    ...missing.flatMap(({ name, statements }) => [
      ...statements(dialect.ddl),
      `insert into ${MIGRATION_TABLE} (name) values ('${name}')`,
    ]),
    ...dialect.afterMigration,
  ];
}

/** Returns the names of the tables and indexes that a migration creates. */
function namesIn({ statements }: Migration, dialect: SqlDialect): readonly string[] {
  return statements(dialect.ddl).flatMap((text) => /^create (?:table|(?:unique )?index) (\w+)/.exec(text)?.[1] ?? []);
}

const unknownOf = (applied: readonly string[]) =>
  applied.filter((name) => !MIGRATIONS.some((migration) => migration.name === name));

function refuseOthers(applied: readonly string[]): void {
  if (applied.includes(UNRELEASED)) {
    throw new Error(
      'The database was made by a kalends from before the first release, and its schema cannot be brought up to date. Make a new one: run "kalends migrate" (or open the storage) on an empty database or a new file, or with another prefix or schema',
    );
  }
  const unknown = unknownOf(applied);
  if (unknown.length > 0) {
    throw new Error(
      `The database has migrations of a later version of kalends, or of another program: ${unknown.join(', ')}. Run that version, or choose another prefix or schema`,
    );
  }
}

function foreignRelation(name: string, schemaName: string | null, cause?: unknown): Error {
  const place = schemaName === null ? 'The database' : `The schema "${schemaName}" of the database`;
  const options = schemaName === null ? 'the option "prefix"' : 'the option "prefix" or "schema"';
  return new Error(
    `${place} has a table, index or type "${name}" that kalends did not create: choose other names by ${options} of the storage`,
    { cause },
  );
}

function twoSchemas(shadowed: string, schemaName: string | null): Error {
  return new Error(
    `The connection creates tables in the schema "${schemaName}", but has used those of kalends in the schema "${shadowed}", which is behind it in the search path: name one of them by the option "schema" of the storage`,
  );
}
