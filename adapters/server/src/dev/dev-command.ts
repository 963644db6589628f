import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseOptions, parsePort, spreadValues } from '../command-line.ts';
import type { Command } from '../commands/command.ts';
import { flagsOf } from '../commands/flag.ts';
import { stopSignal } from '../serve/stop-signal.ts';
import { greeting } from './greeting.ts';
import { startDev } from './start-dev.ts';

const DEFAULT_PORT = 4400;

const HELP = `kalends dev: starts everything on this machine: the /v1 interface on SQLite, and the sandbox with a Google and a Microsoft
mailbox (needs @kalends/sandbox)

  --port N                  port of the interface, 0 for any (default ${DEFAULT_PORT})
  --sandbox-port N          port of the sandbox (default: the next one, or any)
  --database URL            sqlite:PATH or sqlite::memory: (default sqlite:./.kalends/kalends.db)
  --ics FILE ...            loads calendars into the Google mailbox
  --ics-microsoft FILE ...  loads calendars into the Microsoft mailbox
  --json                    prints one line of JSON once it is ready
  --verbose                 logs every request and the background work

Example: kalends dev --port 0 --ics my-calendar.ics
`;

const OPTIONS = {
  port: { type: 'string', default: String(DEFAULT_PORT) },
  'sandbox-port': { type: 'string' },
  database: { type: 'string' },
  ics: { type: 'string', multiple: true },
  'ics-microsoft': { type: 'string', multiple: true },
  json: { type: 'boolean', default: false },
  verbose: { type: 'boolean', default: false },
} as const;

export const devCommand: Command = { help: HELP, flags: flagsOf(OPTIONS), run: runDev };

/** Runs `kalends dev`; resolves with the exit code after SIGTERM or SIGINT. */
async function runDev(args: readonly string[], io: CommandIo): Promise<number> {
  const values = parseOptions(spreadValues(args, ['ics', 'ics-microsoft']), OPTIONS);
  const port = parsePort(values.port, '--port');
  const sandboxPort =
    values['sandbox-port'] === undefined ? undefined : parsePort(values['sandbox-port'], '--sandbox-port');
  const folder = join(process.cwd(), '.kalends');
  const dev = await startDev({
    folder,
    port,
    sandboxPort: sandboxPort ?? (port === 0 ? 0 : port + 1),
    database: databasePath(values.database, folder),
    googleIcs: values.ics ?? [],
    microsoftIcs: values['ics-microsoft'] ?? [],
    logLevel: values.verbose ? 'debug' : 'warn',
    note: (text) => {
      (values.json ? io.stderr : io.stdout).write(`${text}\n`);
    },
  });
  io.stdout.write(values.json ? `${JSON.stringify(dev.connection)}\n` : greeting(dev));
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
