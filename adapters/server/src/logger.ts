import type { Logger } from 'kalends/ports';
import { pino } from 'pino';

/** Structured logs on standard error, so that standard output stays for what a command answers. */
export function createLogger(level: 'silent' | 'warn' | 'info' | 'debug'): Logger {
  const log = pino({ level, base: undefined }, pino.destination({ dest: 2, sync: true }));
  return {
    debug: (message, fields) => log.debug({ ...fields }, message),
    info: (message, fields) => log.info({ ...fields }, message),
    warn: (message, fields) => log.warn({ ...fields }, message),
    error: (message, fields) => log.error({ ...fields }, message),
  };
}
