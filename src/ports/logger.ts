/** Fields of a log line: ids, counts, codes and durations, never bodies or secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * A logger of the host; its failures end no work. One that takes the fields before the message, such as pino's, Fastify's or bunyan's,
 * needs `fieldsFirst` of `kalends`.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
