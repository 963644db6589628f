import type { LogFields, Logger } from 'kalends/ports';
import { pino } from 'pino';

/** Fields that may be logged. Calendar ids are not among them: at Google they are e-mail addresses. */
const FIELDS = new Set([
  'accountId',
  'address',
  'apiKeyId',
  'applicationId',
  'attempt',
  'attempts',
  'backoffFactor',
  'changed',
  'code',
  'coolDownMs',
  'current',
  'database',
  'delayMs',
  'dropped',
  'durationMs',
  'error',
  'eventId',
  'failure',
  'failures',
  'feedId',
  'forged',
  'holdId',
  'homes',
  'host',
  'importId',
  'intentId',
  'keyring',
  'kind',
  'leaseKind',
  'length',
  'loop',
  'messageId',
  'method',
  'outcome',
  'path',
  'pattern',
  'perDay',
  'port',
  'provider',
  'providerConfigId',
  'providerType',
  'reason',
  'receiverId',
  'removed',
  'requestId',
  'retried',
  'retryInMs',
  'rewrapped',
  'role',
  'route',
  'shard',
  'shards',
  'signal',
  'status',
  'step',
  'targetId',
  'unopened',
  'used',
  'version',
  'waitMs',
  'waitedMs',
]);
const LONGEST_VALUE = 1_000;

/** Creates a structured log on standard error: standard output is for a command's result. */
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
