import { join } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { CommandIo } from '../command-io.ts';
import { parseOptions, parsePort, spreadValues } from '../command-line.ts';
import type { Command } from '../commands/command.ts';
import { flagsOf } from '../commands/flag.ts';
import { createInput } from '../commands/secret-input.ts';
import { fromEnvironment } from '../environment.ts';
import { stopSignal } from '../serve/stop-signal.ts';
import type { CalDavSignIn } from './demo-caldav.ts';
import { greeting } from './greeting.ts';
import { startDev } from './start-dev.ts';

const DEFAULT_PORT = 4400;

const HELP = `kalends dev: starts everything on this machine: the /v1 interface on SQLite, and the sandbox with a Google, a Microsoft and
a CalDAV mailbox (needs @kalends/sandbox)

  --port N                  port of the interface, 0 for any (default ${DEFAULT_PORT})
  --sandbox-port N          port of the sandbox (default: the next one, or any)
  --database URL            sqlite:PATH or sqlite::memory: (default sqlite:./.kalends/kalends.db)
  --ics FILE ...            loads calendars into the Google mailbox
  --ics-microsoft FILE ...  loads calendars into the Microsoft mailbox
  --caldav URL              connects a CalDAV server of your own too, as --user; its app password is asked for, or read from
                            standard input or KALENDS_CALDAV_PASSWORD
  --user NAME               user name at the server of --caldav
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
  caldav: { type: 'string' },
  user: { type: 'string' },
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
  const calDav = await calDavSignIn(values.caldav, values.user, io);
  const folder = join(process.cwd(), '.kalends');
  const dev = await startDev({
    folder,
    port,
    sandboxPort: sandboxPort ?? (port === 0 ? 0 : port + 1),
    database: databasePath(values.database, folder),
    googleIcs: values.ics ?? [],
    microsoftIcs: values['ics-microsoft'] ?? [],
    calDav,
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

const PASSWORD = 'KALENDS_CALDAV_PASSWORD';

/** Returns how to sign in at the server of `--caldav`. @throws CommandError for one option without the other, or a URL of another kind */
async function calDavSignIn(
  serverUrl: string | undefined,
  username: string | undefined,
  io: CommandIo,
): Promise<CalDavSignIn | undefined> {
  if (serverUrl === undefined && username === undefined) return undefined;
  if (serverUrl === undefined) throw new CommandError('--user needs --caldav URL: the server that knows the user');
  if (username === undefined) throw new CommandError('--caldav needs --user NAME: the user name at the server');
  if (!/^https?:\/\//.test(serverUrl) || !URL.canParse(serverUrl)) {
    throw new CommandError(`--caldav must be a URL such as https://dav.example.com/, not "${serverUrl}"`);
  }
  const password =
    fromEnvironment(PASSWORD, process.env) ?? (await createInput(io).readSecret('the app password', PASSWORD));
  return { serverUrl, username, password };
}
