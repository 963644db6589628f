#!/usr/bin/env node
import { CommandError } from './command-error.ts';
import type { CommandIo } from './command-io.ts';

const HELP = `kalends: unified calendar engine

  kalends dev      starts everything on this machine: the /v1 interface on SQLite and
                   the sandbox with a Google and a Microsoft mailbox
      --port N               port of the interface, 0 for any (default 4400)
      --sandbox-port N       port of the sandbox (default: the next one, or any)
      --database URL         sqlite:PATH or sqlite::memory: (default sqlite:./.kalends/kalends.db)
      --ics FILE ...         loads calendars into the Google mailbox
      --ics-microsoft FILE ...  loads calendars into the Microsoft mailbox
      --json                 prints one line of JSON once it is ready
      --verbose              logs every request and what goes on in the background
  kalends tour     plays the main job against a started "kalends dev" and checks each step
  kalends expand   expands a recurrence rule; see: kalends expand --help
  kalends help     prints this
`;

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case 'dev': {
      const { runDev } = await import('./dev/dev-command.ts');
      return runDev(rest, io);
    }
    case 'tour': {
      const { runTour } = await import('./tour/tour-command.ts');
      return runTour(rest, io);
    }
    case 'expand': {
      const { runExpand } = await import('./expand-command.ts');
      return runExpand(rest, io);
    }
    case 'help':
    case '--help':
    case '-h':
      io.stdout.write(HELP);
      return 0;
    case undefined:
      io.stderr.write(HELP);
      return 2;
    default:
      throw new CommandError(`there is no command "${command}"\nSee: kalends help`);
  }
}

try {
  process.exitCode = await run(process.argv.slice(2), process);
} catch (error) {
  process.stderr.write(
    `kalends: ${error instanceof CommandError ? error.message : ((error as Error).stack ?? String(error))}\n`,
  );
  process.exitCode = error instanceof CommandError ? error.exitCode : 1;
}
