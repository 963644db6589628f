import type { Logger } from '../../ports/index.ts';

/**
 * Returns the same logger, whose failure ends no work: where it throws, or rejects, the process warns of that by
 * `process.emitWarning`, with the line that was to be logged.
 */
export function steadyLogger(logger: Logger): Logger {
  const steady = (level: keyof Logger): Logger['info'] => {
    return (message, fields) => {
      const failed = (error: unknown) => {
        process.emitWarning(`The logger failed at "${message}": ${String(error)}`, 'KalendsWarning');
      };
      try {
        // An asynchronous function stands for a logger too.
        const result: unknown = logger[level](message, fields);
        if (result instanceof Promise) result.catch(failed);
      } catch (error) {
        failed(error);
      }
    };
  };
  return { debug: steady('debug'), info: steady('info'), warn: steady('warn'), error: steady('error') };
}
