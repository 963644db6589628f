import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Clock } from 'kalends/ports';

/** The requests that this process makes over HTTP: calls of providers, deliveries, notifications of the sandbox. */
export interface RequestWatch {
  /** Returns whether one is on its way. One without an answer for half a second of real time does not count. */
  isBusy(): boolean;
  close(): void;
}

const SLOW_MS = 500;
const CREATED = 'undici:request:create';
/** The end of the answer, and the end without one. */
const ENDED = ['undici:request:trailers', 'undici:request:error'];

/**
 * Watches requests through the channels that undici and Node's fetch publish on. A GET to `ownOrigin` is no work: it may be
 * an event stream, which stays open.
 */
export function watchRequests(ownOrigin: string, base: Clock): RequestWatch {
  const startedAt = new Map<object, number>();
  const begin = (message: unknown) => {
    const { request } = message as { readonly request: { readonly origin?: unknown; readonly method?: string } };
    if (request.method !== 'GET' || String(request.origin) !== ownOrigin) startedAt.set(request, base.now());
  };
  const end = (message: unknown) => void startedAt.delete((message as { readonly request: object }).request);
  subscribe(CREATED, begin);
  for (const name of ENDED) subscribe(name, end);
  return {
    isBusy() {
      const now = base.now();
      for (const [request, at] of startedAt) {
        if (now - at <= SLOW_MS) return true;
        startedAt.delete(request);
      }
      return false;
    },
    close() {
      unsubscribe(CREATED, begin);
      for (const name of ENDED) unsubscribe(name, end);
    },
  };
}
