import type { LogFields, Logger } from 'kalends/ports';
import { pino } from 'pino';

/** Fields that are logged; others are left out. Ids of calendars are not among them: Google's are addresses of people. */
const FIELDS = new Set([
  'accountId',
  'address',
  'applicationId',
  'attempts',
  'changed',
  'current',
  'database',
  'dropped',
  'durationMs',
  'error',
  'eventId',
  'failures',
  'host',
  'lease',
  'loop',
  'messageId',
  'method',
  'outcome',
  'path',
  'pattern',
  'port',
  'provider',
  'providerType',
  'reason',
  'requestId',
  'restMs',
  'retryInMs',
  'rewrapped',
  'role',
  'route',
  'signal',
  'status',
  'step',
  'strangers',
  'stretch',
  'targetId',
  'unopened',
  'version',
]);
const LONGEST_VALUE = 1_000;

/** Structured logs on standard error, so that standard output stays for what a command answers. */
export function createLogger(level: 'silent' | 'warn' | 'info' | 'debug', destination = standardError()): Logger {
  const log = pino({ level, base: undefined }, destination);
  return {
    debug: (message, fields) => log.debug(allowed(fields), message),
    info: (message, fields) => log.info(allowed(fields), message),
    warn: (message, fields) => log.warn(allowed(fields), message),
    error: (message, fields) => log.error(allowed(fields), message),
  };
}

function standardError(): { write(line: string): void } {
  return pino.destination({ dest: 2, sync: true });
}

function allowed(fields: LogFields = {}): object {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, value]) => FIELDS.has(name) && value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, LONGEST_VALUE) : value]),
  );
}
