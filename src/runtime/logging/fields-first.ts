import type { LogFields, Logger } from '../../ports/index.ts';

/** A logger that takes the fields before the message, as those of pino, Fastify and bunyan do. */
export interface FieldsFirstLogger {
  debug(fields: LogFields, message: string): unknown;
  info(fields: LogFields, message: string): unknown;
  warn(fields: LogFields, message: string): unknown;
  error(fields: LogFields, message: string): unknown;
}

/**
 * Returns a logger of kalends that writes to one which takes the fields before the message.
 * @example
 * import { pino } from 'pino';
 *
 * const engine = createEngine({ storage, providers, secret, logger: fieldsFirst(pino()) });
 */
export function fieldsFirst(logger: FieldsFirstLogger): Logger {
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
  };
}

/** Marks of a logger that takes the fields first: pino's and Fastify's have the one, bunyan's the other. */
const MARKS = ['bindings', 'addStream'];

/** Tells whether a logger is known to take the fields first: it would drop those of every line. */
export function isFieldsFirst(logger: object): boolean {
  return MARKS.some((name) => typeof logger[name as keyof typeof logger] === 'function');
}
