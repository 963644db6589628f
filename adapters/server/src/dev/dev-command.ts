import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseOptions, parsePort, spreadValues } from '../command-line.ts';
import { stopSignal } from '../serve/stop-signal.ts';

import { greeting } from './greeting.ts';
import { startDev } from './start-dev.ts';

const DEFAULT_PORT = 4400;

/** Runs `kalends dev`; resolves with the exit code after SIGTERM or SIGINT. */
export async function runDev(args: readonly string[], io: CommandIo): Promise<number> {
  const values = parseOptions(spreadValues(args, ['ics', 'ics-microsoft']), {
    port: { type: 'string', default: String(DEFAULT_PORT) },
    'sandbox-port': { type: 'string' },
    database: { type: 'string' },
    ics: { type: 'string', multiple: true, default: [] },
    'ics-microsoft': { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  });
  const port = parsePort(values.port, '--port');
  const sandboxPort =
    values['sandbox-port'] === undefined ? undefined : parsePort(values['sandbox-port'], '--sandbox-port');
  const folder = join(process.cwd(), '.kalends');
  const dev = await startDev({
    folder,
    port,
    sandboxPort: sandboxPort ?? (port === 0 ? 0 : port + 1),
    database: databasePath(values.database, folder),
    googleIcs: values.ics,
    microsoftIcs: values['ics-microsoft'],
    logLevel: values.verbose ? 'debug' : 'warn',
    note: (text) => {
      (values.json ? io.stderr : io.stdout).write(`${text}\n`);
    },
  });
  io.stdout.write(values.json ? `${JSON.stringify(dev.connection)}\n` : greeting(dev.connection, dev.siteUrl));
  const signal = await stopSignal();
  if (!values.json) io.stdout.write(`\n${signal}: stopping.\n`);
  await dev.stop();
  return 0;
}

/** Returns the path of a database URL. @throws CommandError for any URL but `sqlite:PATH` */
function databasePath(url: string | undefined, folder: string): string {
  if (url === undefined) return join(folder, 'kalends.db');
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path === undefined) throw new CommandError(`--database must be sqlite:PATH or sqlite::memory:, not "${url}"`);
  return path;
}
