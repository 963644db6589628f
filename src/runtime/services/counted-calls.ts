import { KalendsError, StorageUnavailableError } from '../../ports/index.ts';

/** A client repeats the request soon, at another process. */
const RETRY_AFTER_MS = 1_000;

/** Says why the engine does not start, so it waits for no start. */
const UNWAITING: ReadonlySet<string> = new Set(['operations.diagnose']);

type Method = (...parameters: unknown[]) => Promise<unknown>;

/** The calls of services, which an end waits for. */
export interface CountedCalls {
  /** Returns the same services with their calls counted, and refused from `close` on: InternalError (503). */
  count<Services extends object>(services: Services): Services;
  /** Tells that the start has succeeded. Until then calls wait for one under way, and fail as calls that need it. */
  open(): void;
  /** Refuses further calls, and resolves when those in flight have ended. To be called once. */
  close(): Promise<void>;
}

/** @param starting returns the start under way, if any */
export function createCountedCalls(starting: () => Promise<void> | undefined): CountedCalls {
  let inFlight = 0;
  let isOpen = false;
  let isClosed = false;
  let ended = () => {};

  const countService = (name: string, service: object): object => {
    const methods = Object.entries(service).map(([method, work]) => {
      if (typeof work !== 'function') return [method, work];
      const counted: Method = async (...parameters) => {
        if (isClosed) throw stopped();
        inFlight += 1;
        try {
          if (!isOpen && !UNWAITING.has(`${name}.${method}`)) await starting()?.catch(() => undefined);
          return await (work as Method).apply(service, parameters);
        } catch (error) {
          throw isOpen || isExpected(error) ? error : notStarted(error);
        } finally {
          inFlight -= 1;
          if (inFlight === 0) ended();
        }
      };
      return [method, counted];
    });
    return Object.fromEntries(methods);
  };

  return {
    count: <Services extends object>(services: Services) =>
      Object.fromEntries(
        Object.entries(services).map(([name, service]) => [name, countService(name, service)]),
      ) as Services,
    open() {
      isOpen = true;
    },
    async close() {
      isClosed = true;
      if (inFlight === 0) return;
      await new Promise<void>((resolve) => {
        ended = resolve;
      });
    },
  };
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

function stopped(): KalendsError {
  return new KalendsError('InternalError', 'The engine has been stopped.', {
    status: 503,
    retryAfterMs: RETRY_AFTER_MS,
  });
}
