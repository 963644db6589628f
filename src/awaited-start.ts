import { KalendsError, StorageUnavailableError } from './ports/index.ts';

/** A client repeats the request soon: the process is most likely about to start. */
const RETRY_AFTER_MS = 1_000;

/** Says why the engine does not start, so it waits for no start. */
const UNWAITING: ReadonlySet<string> = new Set(['operations.diagnose']);

/** The start of an engine, as far as it has come. */
export interface StartProgress {
  isStarted(): boolean;
  /** Returns the start under way, if any. */
  starting(): Promise<void> | undefined;
}

type Method = (...parameters: unknown[]) => Promise<unknown>;

/**
 * Returns the same services, whose calls wait for a start under way. Without one they run on the database as it is, and reject with
 * InternalError (503) where they need what a start makes.
 */
export function awaitStart<Services extends object>(services: Services, progress: StartProgress): Services {
  const awaited = Object.entries(services).map(([name, service]) => [name, awaitInService(name, service, progress)]);
  return Object.fromEntries(awaited) as Services;
}

function awaitInService(name: string, service: object, { isStarted, starting }: StartProgress): object {
  const methods = Object.entries(service).map(([method, work]) => {
    if (typeof work !== 'function') return [method, work];
    const run: Method = (...parameters) => (work as Method).apply(service, parameters);
    const runEarly: Method = async (...parameters) => {
      // A start that fails rejects to its own caller.
      if (!UNWAITING.has(`${name}.${method}`)) await starting()?.catch(() => undefined);
      try {
        return await run(...parameters);
      } catch (error) {
        throw isStarted() || isExpected(error) ? error : notStarted(error);
      }
    };
    const awaited: Method = (...parameters) => (isStarted() ? run(...parameters) : runEarly(...parameters));
    return [method, awaited];
  });
  return Object.fromEntries(methods);
}

/** Whether an error is not that of a database without the tables that a start makes. */
function isExpected(error: unknown): boolean {
  return KalendsError.isInstance(error) || StorageUnavailableError.isInstance(error);
}

function notStarted(cause: unknown): KalendsError {
  return new KalendsError('InternalError', 'The engine has not been started: await engine.start().', {
    status: 503,
    retryAfterMs: RETRY_AFTER_MS,
    cause,
  });
}
