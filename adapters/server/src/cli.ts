#!/usr/bin/env node
import { CommandError } from './command-error.ts';
import type { CommandIo } from './command-io.ts';
import { packageVersion } from './package-version.ts';

const HELP = `kalends: unified calendar engine

  kalends dev      starts everything on this machine: the /v1 interface on SQLite and
                   the sandbox with a Google and a Microsoft mailbox
                   (needs @kalends/sandbox)
      --port N               port of the interface, 0 for any (default 4400)
      --sandbox-port N       port of the sandbox (default: the next one, or any)
      --database URL         sqlite:PATH or sqlite::memory: (default sqlite:./.kalends/kalends.db)
      --ics FILE ...         loads calendars into the Google mailbox
      --ics-microsoft FILE ...  loads calendars into the Microsoft mailbox
      --json                 prints one line of JSON once it is ready
      --verbose              logs every request and the background work
  kalends tour     plays the main job against a started "kalends dev" and checks each step
  kalends parity   compares the sandbox with a test account at Google or Microsoft; see: kalends parity --help
  kalends expand   expands a recurrence rule; see: kalends expand --help

  kalends start    serves and works in one process, on SQLite or PostgreSQL
  kalends serve    answers the interface only
  kalends work     syncs, keeps push channels and delivers only
  kalends migrate  brings the database up to date
  kalends rewrap   wraps stored keys under the current secret, after a change of secrets
  kalends app      create, list, update: the applications
  kalends key      create, list, revoke: their API keys
  kalends provider set: an application's OAuth client at a provider
      Each has --help; docs/operating.md explains the settings.

  kalends help     prints this text
  kalends --version
`;

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const [command, ...rest] = args;
  switch (command) {
    case 'dev': {
      if (rest.includes('--help') || rest.includes('-h')) {
        io.stdout.write(HELP);
        return 0;
      }
      const { runDev } = await import('./dev/dev-command.ts');
      return runDev(rest, io);
    }
    case 'tour': {
      const { runTour } = await import('./tour/tour-command.ts');
      return runTour(rest, io);
    }
    case 'parity': {
      const { loadParity } = await import('./parity/load-parity.ts');
      const { runParityCommand } = await loadParity();
      return runParityCommand(rest, io);
    }
    case 'expand': {
      const { runExpand } = await import('./expand-command.ts');
      return runExpand(rest, io);
    }
    case 'start':
    case 'serve':
    case 'work': {
      const { runServer } = await import('./serve/serve-command.ts');
      return runServer(command, rest, io);
    }
    case 'migrate': {
      const { runMigrate } = await import('./admin/migrate-command.ts');
      return runMigrate(rest, io);
    }
    case 'rewrap': {
      const { runRewrap } = await import('./admin/rewrap-command.ts');
      return runRewrap(rest, io);
    }
    case 'app':
    case 'key':
    case 'provider': {
      const { runAdmin } = await import('./admin/admin-command.ts');
      return runAdmin(command, rest, io);
    }
    case '--version':
    case '-v':
      io.stdout.write(`${packageVersion()}\n`);
      return 0;
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
