import {
  type AddressGuard,
  Agent,
  createGuardedConnector,
  type Dispatcher,
  isAddressRefused,
  type LookupAll,
} from '../network/index.ts';
import type { Clock, OutboundPost, OutboundResult, OutboundSender } from '../ports/index.ts';
import { createDeadlines } from '../runtime/index.ts';
import { ResponseReader, type SeenResponse } from './response-reader.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Creates a sender over undici with keep-alive that follows no redirect and dials only addresses that the guard allows. */
export function createOutboundSender(dependencies: {
  readonly guard: AddressGuard;
  readonly clock: Clock;
  /** @default dns.lookup */
  readonly lookup?: LookupAll;
}): OutboundSender {
  const { guard, clock, lookup } = dependencies;
  const deadlines = createDeadlines(clock);
  const agent = new Agent({
    connect: createGuardedConnector(guard, CONNECT_TIMEOUT_MS, lookup),
    // The dispatcher bounds the deliveries in flight; a receiver that hangs must not take connections from others.
    connections: null,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    maxHeaderSize: 16_384,
    // The deadline of a delivery covers both headers and body.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async post({ url, headers, body, timeoutMs }) {
      const startedAt = clock.now();
      const answer = await new Promise<SeenResponse>((resolve) => {
        const reader = new ResponseReader((received) => {
          lift();
          resolve(received);
        });
        const lift = deadlines.set(timeoutMs, () => reader.giveUp());
        try {
          // Below undici's streams and signals, which cost as much as the request itself.
          agent.dispatch(requestOf(url, headers, body), reader);
        } catch (error) {
          // An invalid URL fails like an address that does not answer.
          reader.onResponseError(undefined, error);
        }
      });
      const now = clock.now();
      const { status, excerpt, error, isTooLate } = answer;
      return {
        status,
        failure: status !== null ? null : isTooLate ? 'timeout' : failureOf(error),
        retryAfterMs: retryAfter(answer.retryAfter, now),
        excerpt,
        latencyMs: now - startedAt,
      };
    },
    async close() {
      await agent.destroy();
      deadlines.close();
    },
  };
}

function requestOf(url: string, headers: OutboundPost['headers'], body: string): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = new URL(url);
  return {
    origin,
    path: `${pathname}${search}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, 'user-agent': 'kalends' },
    body,
  };
}

/** Returns Retry-After (seconds or an HTTP date) in milliseconds from now, null without a valid one. */
export function retryAfter(value: string | readonly string[] | undefined, now: number): number | null {
  const text = (typeof value === 'string' ? value : value?.[0])?.trim();
  if (text === undefined || text === '') return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

function failureOf(error: unknown): OutboundResult['failure'] {
  if (isAddressRefused(error)) return 'address-refused';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (/^(ENOTFOUND|EAI_)/.test(code)) return 'dns';
    if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
    if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code)) return 'tls';
  }
  return 'connection';
}
