import type { CommandIo } from '../command-io.ts';
import { asksForHelp } from '../command-line.ts';
import { createLogger } from '../logger.ts';
import { readSettings, settingsHelp } from '../settings.ts';
import { type Role, startServer } from './server.ts';
import { stopSignal } from './stop-signal.ts';

const WORK: Readonly<Record<Role, string>> = {
  serve: 'answers the interface, and leaves sync and deliveries to "kalends work"',
  work: 'pulls, keeps push channels, delivers messages; answers only /healthz, /readyz and /metrics',
  start: 'serves and works in one process',
};

/** Runs `kalends serve`, `kalends work` or `kalends start`; resolves with the exit code after SIGTERM or SIGINT. */
export async function runServer(role: Role, args: readonly string[], io: CommandIo): Promise<number> {
  if (asksForHelp(args)) {
    io.stdout.write(`kalends ${role}: ${WORK[role]}\n\n${settingsHelp()}`);
    return 0;
  }
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
