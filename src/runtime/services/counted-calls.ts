import { KalendsError } from '../../ports/index.ts';

/** A client repeats the request soon, at another process. */
const RETRY_AFTER_MS = 1_000;

type Method = (...parameters: unknown[]) => Promise<unknown>;

/** The calls of services, which an end waits for. */
export interface CountedCalls {
  /** Returns the same services with their calls counted, and refused from `close` on: InternalError (503). */
  count<Services extends object>(services: Services): Services;
  /** Refuses further calls, and resolves when those in flight have ended. To be called once. */
  close(): Promise<void>;
}

export function createCountedCalls(): CountedCalls {
  let inFlight = 0;
  let isClosed = false;
  let ended = () => {};

  const countService = (service: object): object => {
    const methods = Object.entries(service).map(([method, work]) => {
      if (typeof work !== 'function') return [method, work];
      const counted: Method = async (...parameters) => {
        if (isClosed) throw stopped();
        inFlight += 1;
        try {
          return await (work as Method).apply(service, parameters);
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
      Object.fromEntries(Object.entries(services).map(([name, service]) => [name, countService(service)])) as Services,
    async close() {
      isClosed = true;
      if (inFlight === 0) return;
      await new Promise<void>((resolve) => {
        ended = resolve;
      });
    },
  };
}

function stopped(): KalendsError {
  return new KalendsError('InternalError', 'The engine has been stopped.', {
    status: 503,
    retryAfterMs: RETRY_AFTER_MS,
  });
}
