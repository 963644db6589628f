import { Agent, type Dispatcher, request as undiciRequest } from 'undici';
import type { Clock, OutboundResult, OutboundSender } from '../ports/index.ts';
import { DeadlineError, withDeadline } from '../runtime/index.ts';
import type { AddressGuard } from './address-guard.ts';
import { AddressRefusedError, createGuardedConnector } from './guarded-connector.ts';

const EXCERPT_BYTES = 1024;
const CONNECT_TIMEOUT_MS = 10_000;
const CONNECTIONS_PER_ORIGIN = 64;

/** Sends over undici with keep-alive, never through a redirect, to addresses that the guard allows. */
export function createOutboundSender(dependencies: {
  readonly guard: AddressGuard;
  readonly clock: Clock;
}): OutboundSender {
  const { guard, clock } = dependencies;
  const agent = new Agent({
    connect: createGuardedConnector(guard, CONNECT_TIMEOUT_MS),
    connections: CONNECTIONS_PER_ORIGIN,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    maxHeaderSize: 16_384,
  });
  return {
    async post({ url, headers, body, timeoutMs }) {
      const startedAt = clock.now();
      // What has been seen when the deadline strikes counts: a status is an answer even if its body never ends.
      const seen: { status: number | null; retryAfterMs: number | null; excerpt: string } = {
        status: null,
        retryAfterMs: null,
        excerpt: '',
      };
      let failure: OutboundResult['failure'] = null;
      try {
        await withDeadline(clock, timeoutMs, async (signal) => {
          const answer = await undiciRequest(url, {
            dispatcher: agent,
            method: 'POST',
            headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'kalends' },
            body,
            signal,
          });
          seen.status = answer.statusCode;
          seen.retryAfterMs = retryAfter(answer.headers['retry-after'], clock.now());
          await readExcerpt(answer.body, seen);
        });
      } catch (error) {
        if (seen.status === null) failure = failureOf(error);
      }
      return { ...seen, failure, latencyMs: clock.now() - startedAt };
    },
    close: () => agent.destroy(),
  };
}

async function readExcerpt(body: Dispatcher.ResponseData['body'], into: { excerpt: string }): Promise<void> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // PostgreSQL takes no NUL in a text.
    into.excerpt = Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\0', '');
    // Leaving the loop destroys the stream and its connection; nothing more of a long answer is read.
    if (length >= EXCERPT_BYTES) break;
  }
}

/** Retry-After in milliseconds from now: seconds or an HTTP date. */
export function retryAfter(value: string | readonly string[] | undefined, now: number): number | null {
  const text = (typeof value === 'string' ? value : value?.[0])?.trim();
  if (text === undefined || text === '') return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

function failureOf(error: unknown): OutboundResult['failure'] {
  if (error instanceof DeadlineError) return 'timeout';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AddressRefusedError) return 'address-refused';
    const code = 'code' in cause ? String(cause.code) : '';
    if (/^(ENOTFOUND|EAI_)/.test(code)) return 'dns';
    if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
    if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code)) return 'tls';
  }
  return 'connection';
}
