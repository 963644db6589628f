import { createHash } from 'node:crypto';
import { KalendsError } from 'kalends';
import type { Clock, Logger } from 'kalends/ports';
import { nextTurn } from 'kalends/runtime';
import type { Client } from './client-address.ts';
import { createFailureLimit } from './failure-limit.ts';
import { createFairQueue } from './fair-queue.ts';
import { checkRateLimit, type RateLimit } from './rate-limit-answer.ts';
import { createRecentlyUsed } from './recently-used.ts';
import type { Access } from './route.ts';

/** Allows a burst for people who share an address, and one failure a second in the long run. */
export const DEFAULT_FAILURE_LIMIT: RateLimit = { perSecond: 1, burst: 100 };

/** Bounds requests of browsers: each reads the storage, and a callback waits for a provider. */
const BROWSERS = { atOnce: 64, perKey: 16, mostWaiting: 2_000 };
/** Reads notifications one at a time, each in a turn of the event loop. */
const NOTIFICATIONS = { atOnce: 1, perKey: 1, mostWaiting: 2_000 };
const CREDENTIALS_REMEMBERED = 10_000;
const PROVIDERS_REMEMBERED = 1_000;
const QUEUE_FULL_RETRY_MS = 1_000;
const PUSH_PATH = '/v1/push/';
/** Verifying a notification up to this size costs little more than refusing it. */
const SMALL_NOTIFICATION_BYTES = 4_096;

/** Result of a request, as far as it counts for or against its client. */
export interface Outcome {
  readonly status: number;
  /** Access of the route; undefined when no route answered. */
  readonly access: Access | undefined;
  readonly isFailure?: boolean | undefined;
  readonly isGenuine?: boolean | undefined;
}

/**
 * Protects the routes that need no credential, and credentials from being guessed.
 * Only failures count against an address. A recently valid credential, and an address that recently sent genuine notifications, are
 * never refused for the failures of others. Small notifications are always verified before they are refused: providers send
 * the forged and the genuine ones from the same addresses.
 */
export interface OpenRoutesLimit {
  /**
   * Returns the 429 for a client that has failed too often, else undefined. `path` has no mount prefix; `access` is undefined for
   * a path that no route has.
   */
  refusal(client: Client, request: Request, path: string, access: Access | undefined): KalendsError | undefined;
  /** Remembers a valid credential. */
  goodCredential(credential: string): void;
  /** Counts a failure; returns the 429 for a notification that was admitted beyond the limit and proved to be forged. */
  note(client: Client, outcome: Outcome, path: string): KalendsError | undefined;
  /**
   * Runs the work of an open route in its turn; an address with recent genuine notifications waits only for its like.
   * @throws KalendsError RateLimited when too many requests of this client wait
   */
  inTurn<Result>(client: Client, kind: 'browser' | 'notification', work: () => Promise<Result>): Promise<Result>;
}

/** Creates a limit of this process, in bounded memory. @throws KalendsError InvalidRequest for a `failureLimit` that is none */
export function createOpenRoutesLimit(dependencies: {
  readonly failureLimit: RateLimit | false;
  /** Returns the credential of a request. Undefined where the host signs callers in: only open routes are limited then. */
  readonly credentialOf: ((request: Request) => string | null) | undefined;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
}): OpenRoutesLimit {
  const { failureLimit, credentialOf, clock, logger } = dependencies;
  if (failureLimit !== false) checkRateLimit('failureLimit', failureLimit);
  const failures = failureLimit === false ? undefined : createFailureLimit(failureLimit, clock);
  const queues = {
    browser: createFairQueue(BROWSERS),
    notification: createFairQueue(NOTIFICATIONS),
    /** For addresses that have sent genuine notifications, so that unknown ones do not delay them. */
    provider: createFairQueue(NOTIFICATIONS),
  };
  const goodCredentials = createRecentlyUsed(CREDENTIALS_REMEMBERED);
  const providers = createRecentlyUsed(PROVIDERS_REMEMBERED);
  const digestOf = (credential: string) => createHash('sha256').update(credential).digest('base64url');
  let hasWarned = false;

  const warnOnce = () => {
    if (!hasWarned) {
      logger?.warn(
        'failures are not counted by address: requests come through a proxy that trustProxy does not name',
        {},
      );
    }
    hasWarned = true;
  };

  const isLimited = (access: Access | undefined): boolean =>
    credentialOf !== undefined || access === undefined || access === 'open';

  const isExempt = (address: string, request: Request, path: string): boolean => {
    const credential = credentialOf === undefined ? null : credentialOf(request);
    if (credential !== null) return goodCredentials.has(digestOf(credential));
    return path.startsWith(PUSH_PATH) && (providers.has(address) || isSmall(request));
  };

  const tooManyFailures = (retryAfterMs: number) =>
    new KalendsError('RateLimited', 'Too many requests from this address have failed.', { retryAfterMs });

  return {
    refusal({ address, isShared }, request, path, access) {
      if (isShared) warnOnce();
      if (failures === undefined || address === undefined || isShared || !isLimited(access)) return undefined;
      const waitMs = failures.waitMs(address);
      if (waitMs === 0 || isExempt(address, request, path)) return undefined;
      return tooManyFailures(waitMs);
    },
    goodCredential: (credential) => goodCredentials.add(digestOf(credential)),
    note({ address, isShared }, { status, access, isFailure = false, isGenuine = false }, path) {
      if (address === undefined || isShared) return undefined;
      if (isGenuine) providers.add(address);
      const isRefused = status >= 400 && status < 500 && status !== 429;
      const isOpen = access === 'open' || access === undefined;
      const counts = isOpen ? isRefused || isFailure : status === 401 && isLimited(access);
      if (failures === undefined || !counts || isGenuine) return undefined;
      const waitMs = failures.waitMs(address);
      if (waitMs > 0 && path.startsWith(PUSH_PATH) && !providers.has(address)) return tooManyFailures(waitMs);
      failures.count(address);
      return undefined;
    },
    async inTurn({ address }, kind, work) {
      const isKnown = kind === 'notification' && address !== undefined && providers.has(address);
      const end = await queues[isKnown ? 'provider' : kind].enter(address);
      if (end === undefined) {
        throw new KalendsError('RateLimited', 'Too many requests from this address are waiting.', {
          retryAfterMs: QUEUE_FULL_RETRY_MS,
        });
      }
      try {
        // Reading a batch takes a millisecond or two: let requests that have arrived meanwhile go first.
        if (kind === 'notification') await nextTurn();
        return await work();
      } finally {
        end();
      }
    },
  };
}

function isSmall({ body, headers }: Request): boolean {
  return body === null || Number(headers.get('content-length') ?? Number.NaN) <= SMALL_NOTIFICATION_BYTES;
}
