import type { HealthStore, SchemaState, Storage } from 'kalends/ports';
import { describeError, systemClock, withDeadline, withOutageTimeout, zoneDataVersion } from 'kalends/runtime';
import type { CommandIo } from '../command-io.ts';
import type { Command } from '../commands/command.ts';
import { flagsOf } from '../commands/flag.ts';
import { createLogger } from '../logger.ts';
import { databasesOf, type NamedDatabase, opening, storageOf } from '../serve/open-storage.ts';
import { readSettings, SETTING_FLAGS, type Settings, settingsHelp } from '../settings.ts';

const HELP = `kalends migrate: brings the database's schema up to date, and records this runtime's tz data as the one that every
process must have. Needs only the database settings; changes nothing when everything is up to date.

  --print   prints the SQL of the migration and runs nothing

${settingsHelp()}`;

/** Time in which a database has to answer. */
const REACH_MS = 8_000;

const OPTIONS = { print: { type: 'boolean' } } as const;

export const migrateCommand: Command = { help: HELP, flags: [...flagsOf(OPTIONS), ...SETTING_FLAGS], run: runMigrate };

/** Runs `kalends migrate`; resolves with 0 once every database's schema is up to date, with 1 when one of several is away. */
export async function runMigrate(args: readonly string[], io: CommandIo): Promise<number> {
  const { settings, values } = readSettings(args, process.env, OPTIONS);
  const storage = storageOf(settings, createLogger('warn'));
  try {
    const databases = databasesOf(storage, settings.databaseUrl);
    if (values['print'] === true) return await printSql(databases, settings, io);
    return await migrate(storage, databases, settings, io);
  } finally {
    await storage.close();
  }
}

async function migrate(
  storage: Storage,
  databases: readonly NamedDatabase[],
  settings: Settings,
  io: CommandIo,
): Promise<number> {
  const before = await Promise.all(databases.map(({ health }) => health.schema()));
  await opening(settings, () => storage.open());
  const version = zoneDataVersion();
  await storage.health.setZoneData(version);
  let away = 0;
  for (const [index, { title, health }] of databases.entries()) {
    const problem = await problemOf(health);
    if (problem === undefined) io.stdout.write(report(title, before[index]));
    else io.stderr.write(`kalends: ${title} is not migrated: ${problem}\n`);
    away += problem === undefined ? 0 : 1;
  }
  io.stdout.write(`Every process must have tz data ${version}, as this one has.\n`);
  if (away > 0) {
    io.stderr.write('Run "kalends migrate" again when all databases can be reached.\n');
    return 1;
  }
  io.stdout.write(
    'Next: start or replace the processes ("kalends start"). Those of an older version serve until then.\n',
  );
  return 0;
}

/** Says why a database has not been migrated; undefined when it has. */
async function problemOf(health: HealthStore): Promise<string | undefined> {
  try {
    await withDeadline(systemClock, REACH_MS, () => withOutageTimeout({ limitMs: 0 }, () => health.reach()));
  } catch (error) {
    return describeError(error);
  }
  const { missing } = await health.schema();
  return missing.length === 0 ? undefined : `it lacks ${missing.join(', ')}`;
}

async function printSql(databases: readonly NamedDatabase[], settings: Settings, io: CommandIo): Promise<number> {
  const texts = await opening(settings, () => Promise.all(databases.map(({ health }) => health.migrationSql())));
  for (const [index, { title }] of databases.entries()) {
    const statements = texts[index] ?? [];
    if (statements.length === 0) io.stdout.write(`-- ${title} is up to date: nothing to run\n`);
    else {
      const name = databases.length === 1 ? '' : `-- in the database ${title}\n`;
      io.stdout.write(`${name}begin;\n\n${statements.map((text) => `${text};\n\n`).join('')}commit;\n`);
    }
  }
  return 0;
}

function report(title: string, { applied, missing }: SchemaState = { applied: [], missing: [] }): string {
  const from = applied.at(-1) ?? 'nothing';
  return missing.length === 0
    ? `${title} is up to date, at ${from}\n`
    : `${title} is migrated from ${from} to ${missing.at(-1)}:\n${missing.map((name) => `  ${name}`).join('\n')}\n`;
}
