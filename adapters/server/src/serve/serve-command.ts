import type { Command } from '../commands/command.ts';
import { createLogger } from '../logger.ts';
import { readSettings, SETTING_FLAGS, settingsHelp } from '../settings.ts';
import { type Role, startServer } from './server.ts';
import { stopSignal } from './stop-signal.ts';

const WORK: Readonly<Record<Role, string>> = {
  serve: 'answers the interface, and leaves sync and deliveries to "kalends work"',
  work: 'pulls, keeps push channels, delivers messages; answers only /healthz, /readyz and /metrics',
  start: 'serves and works in one process',
};

/** Returns the command of a role. */
export function serverCommand(role: Role): Command {
  return {
    help: `kalends ${role}: ${WORK[role]}\n\n${settingsHelp()}`,
    flags: SETTING_FLAGS,
    run: (args) => runServer(role, args),
  };
}

/** Runs `kalends serve`, `kalends work` or `kalends start`; resolves with the exit code after SIGTERM or SIGINT. */
export async function runServer(role: Role, args: readonly string[]): Promise<number> {
  const { settings } = readSettings(args, process.env);
  const logger = createLogger(settings.logLevel);
  // Listen for signals before the start: a process that is still starting must stop in order too.
  const stopped = stopSignal();
  const server = await startServer(role, settings, logger);
  const signal = await stopped;
  logger.info('stopping', { role, signal });
  await server.stop();
  return 0;
}
