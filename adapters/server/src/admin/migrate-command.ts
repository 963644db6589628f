import type { SchemaState } from 'kalends/ports';
import { zoneDataVersion } from 'kalends/zones';
import type { CommandIo } from '../command-io.ts';
import { asksForHelp } from '../command-line.ts';
import { createLogger } from '../logger.ts';
import { opening, shownUrl, storageOf } from '../serve/open-storage.ts';
import { readSettings } from '../settings.ts';

const USAGE = `kalends migrate: brings the database up to date and makes this runtime's tz data the one that processes
are to have. Needs the database setting alone; does nothing when everything is current.
`;

/** `kalends migrate`: 0 once the schema is current. */
export async function runMigrate(args: readonly string[], io: CommandIo): Promise<number> {
  if (asksForHelp(args)) {
    io.stdout.write(USAGE);
    return 0;
  }
  const { settings } = readSettings(args, process.env);
  const storage = storageOf(settings, createLogger('warn'));
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

function report(url: string, { applied, missing }: SchemaState, zoneData: string): string {
  const from = applied.at(-1) ?? 'nothing';
  const done =
    missing.length === 0
      ? `${url} was current already, at ${from}: nothing was to do`
      : `${url} was brought from ${from} to ${missing.at(-1)}:\n${missing.map((name) => `  ${name}`).join('\n')}`;
  return `${done}
Processes are to have tz data ${zoneData}, as this one.
Next: start or replace the processes ("kalends start"); those of an older version say on /readyz that they should go.
`;
}
