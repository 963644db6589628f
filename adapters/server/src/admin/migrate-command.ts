import type { SchemaState, Storage } from 'kalends/ports';
import { zoneDataVersion } from 'kalends/runtime';
import type { CommandIo } from '../command-io.ts';
import type { Command } from '../commands/command.ts';
import { flagsOf } from '../commands/flag.ts';
import { createLogger } from '../logger.ts';
import { opening, shownUrl, storageOf } from '../serve/open-storage.ts';
import { readSettings, SETTING_FLAGS, settingsHelp } from '../settings.ts';

const HELP = `kalends migrate: brings the database's schema up to date, and records this runtime's tz data as the one that every
process must have. Needs only the database settings; changes nothing when everything is up to date.

  --print   prints the SQL of the migration and runs nothing

${settingsHelp()}`;

const OPTIONS = { print: { type: 'boolean' } } as const;

export const migrateCommand: Command = { help: HELP, flags: [...flagsOf(OPTIONS), ...SETTING_FLAGS], run: runMigrate };

/** Runs `kalends migrate`; resolves with 0 once the schema is up to date. */
export async function runMigrate(args: readonly string[], io: CommandIo): Promise<number> {
  const { settings, values } = readSettings(args, process.env, OPTIONS);
  const storage = storageOf(settings, createLogger('warn'));
  if (values['print'] === true) return await printSql(storage, settings.databaseUrl, io);
  const before = await storage.health.schema();
  await opening(settings.databaseUrl, () => storage.open());
  try {
    const version = zoneDataVersion();
    await storage.health.setZoneData(version);
    io.stdout.write(report(shownUrl(settings.databaseUrl), before, version));
  } finally {
    await storage.close();
  }
  return 0;
}

async function printSql(storage: Storage, databaseUrl: string, io: CommandIo): Promise<number> {
  try {
    const statements = await opening(databaseUrl, () => storage.health.migrationSql());
    io.stdout.write(
      statements.length === 0
        ? `-- ${shownUrl(databaseUrl)} is up to date: nothing to run\n`
        : `begin;\n\n${statements.map((text) => `${text};\n\n`).join('')}commit;\n`,
    );
  } finally {
    await storage.close();
  }
  return 0;
}

function report(url: string, { applied, missing }: SchemaState, zoneData: string): string {
  const from = applied.at(-1) ?? 'nothing';
  const done =
    missing.length === 0
      ? `${url} is up to date, at ${from}`
      : `${url} is migrated from ${from} to ${missing.at(-1)}:\n${missing.map((name) => `  ${name}`).join('\n')}`;
  return `${done}
Every process must have tz data ${zoneData}, as this one has.
Next: start or replace the processes ("kalends start"). Those of an older version are not ready (/readyz).
`;
}
