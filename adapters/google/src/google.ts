import { type Clock, type Fetch, type Logger, type Provider, type Random, withoutTrailing } from 'kalends/ports';
import { createMailboxLimiter, systemClock, systemRandom } from 'kalends/runtime';
import { createAuthorization } from './authorization.ts';
import { createCalendars } from './calendars.ts';
import { capabilitiesOf } from './capabilities.ts';
import { GOOGLE_ENDPOINTS, type GoogleOAuthEndpoints } from './endpoints.ts';
import type { SendUpdates } from './event-calls.ts';
import { MAPPING_VERSION } from './event-mapping.ts';
import { createEvents } from './events.ts';
import { createPush } from './push.ts';
import { createTransport, type RetryOptions } from './transport.ts';

/** Bounds of the calls to Google. */
export interface GoogleLimits {
  /** Calls under way at the same time, per mailbox. @default 8 */
  readonly concurrency?: number;
  /**
   * Calls begun in any 60 seconds of real time, per mailbox.
   * @default 600, which is Google's; Infinity with a clock of one's own, whose time may pass faster
   */
  readonly callsPerMinute?: number;
  /** Longest wait for one answer. @default 20_000 */
  readonly timeoutMs?: number;
  /** Events of one page of the feed, at most 2,500. @default 2_500 */
  readonly pageSize?: number;
  /** Waits between looks at a meeting that Google is still creating. @default [250, 500, 1_000, 2_000] */
  readonly conferenceWaitsMs?: readonly number[];
}

/** Options of `google`. */
export interface GoogleOptions {
  /** Where the Calendar API is, without `/calendar/v3`. @default "https://www.googleapis.com" */
  readonly baseUrl?: string;
  /** @default Google's own */
  readonly oauth?: Partial<GoogleOAuthEndpoints>;
  /** Scopes to ask for. @default openid, email and the whole calendar */
  readonly scopes?: readonly string[];
  /** Who gets mail from Google about a change that is made here. @default "all" */
  readonly sendUpdates?: SendUpdates;
  /** @default globalThis.fetch */
  readonly fetch?: Fetch;
  /** @default the system clock */
  readonly clock?: Clock;
  /** @default node:crypto */
  readonly random?: Random;
  /** @default silent */
  readonly logger?: Logger;
  readonly limits?: GoogleLimits;
  /** @default 3 repetitions, 250 ms doubling up to 4 s, a Retry-After of at most 5 s waited for */
  readonly retry?: Partial<RetryOptions>;
}

/** The scopes that `google` asks for unless told otherwise. */
export const DEFAULT_SCOPES: readonly string[] = ['openid', 'email', 'https://www.googleapis.com/auth/calendar'];

const DEFAULT_RETRY: RetryOptions = { retries: 3, baseDelayMs: 250, maxDelayMs: 4000, maxRetryAfterMs: 5000 };

/**
 * Google Calendar as a kalends provider. Stateless but for the pacing of calls, which is per mailbox and process.
 * @example createEngine({ providers: { PROVIDER_A: google() }, … })
 * @see https://developers.google.com/workspace/calendar/api/v3/reference
 */
export function google(options: GoogleOptions = {}): Provider {
  const { clock = systemClock, random = systemRandom, fetch = globalThis.fetch, logger, limits = {} } = options;
  const { concurrency = 8, callsPerMinute = clock === systemClock ? 600 : Number.POSITIVE_INFINITY } = limits;
  const { timeoutMs = 20_000, pageSize = 2500 } = limits;
  const { conferenceWaitsMs = [250, 500, 1000, 2000] } = limits;
  const retry = { ...DEFAULT_RETRY, ...options.retry };
  const transport = createTransport({
    apiUrl: `${withoutTrailing(options.baseUrl ?? GOOGLE_ENDPOINTS.baseUrl, '/')}/calendar/v3`,
    fetch,
    clock,
    random,
    logger,
    limiter: createMailboxLimiter({ clock, concurrency, callsPerInterval: callsPerMinute, intervalMs: 60_000 }),
    retry,
    timeoutMs,
  });
  return {
    name: 'google',
    mappingVersion: MAPPING_VERSION,
    authorization: createAuthorization({
      endpoints: { ...GOOGLE_ENDPOINTS.oauth, ...options.oauth },
      scopes: options.scopes ?? DEFAULT_SCOPES,
      fetch,
      clock,
      random,
      retry,
      timeoutMs,
      transport,
    }),
    calendars: createCalendars({ transport, logger }),
    events: createEvents({
      transport,
      clock,
      random,
      logger,
      sendUpdates: options.sendUpdates ?? 'all',
      pageSize,
      conferenceWaitsMs,
    }),
    push: createPush(transport),
    capabilities: capabilitiesOf,
  };
}
