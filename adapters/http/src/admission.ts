import { type Caller, type Engine, KalendsError } from 'kalends';
import type { Clock } from 'kalends/ports';
import { invalidOption } from './invalid-option.ts';
import type { OpenRoutesLimit } from './open-routes-limit.ts';
import { createRateLimiter, type RateLimiter, type RateLimitOptions } from './rate-limit.ts';
import { checkRateLimit } from './rate-limit-answer.ts';
import type { RequestNotes } from './request-notes.ts';
import type { Access } from './route.ts';
import { createSharedRateLimiter } from './shared-rate-limit.ts';

/** Returns who makes a request. @throws KalendsError with status 401 for an unknown caller, or RateLimited */
export type Admission<Who> = (request: Request, notes: RequestNotes, access: Access) => Promise<Who>;

/**
 * Returns for which application a request is made, or undefined for a request that may not be made. Must leave the request's
 * body unread. A rejection is a 500, unless it is a KalendsError. Where it reads cookies, it must refuse requests that other sites
 * make in the person's browser; without `canReadCredentials: false` the caller reads the providers' tokens.
 */
export type AuthorizeCaller = (request: Request) => Caller | undefined | Promise<Caller | undefined>;

/** Longest time that a shared budget may take to fill, in seconds. */
const LONGEST_FILL_S = 86_400;

/** Caller of an open route without a key; no open route reads it. */
const UNKNOWN: Caller = { applicationId: '' };

/** Creates the admission of callers whom the host has signed in. */
export function createCallerAdmission(authorize: AuthorizeCaller): Admission<Caller> {
  return async (request, { client }, access) => {
    if (access === 'open') return UNKNOWN;
    const caller = await authorize(request);
    if (typeof caller !== 'object' || caller === null) {
      throw new KalendsError('Unauthorized', 'This request needs a person who is signed in.');
    }
    if (typeof caller.applicationId !== 'string' || caller.applicationId === '') {
      throw new TypeError('authorize must return { applicationId }, an id of an application, or undefined');
    }
    const address = client.address ?? null;
    const { actor } = caller;
    return { ...caller, address, ...(actor === undefined ? {} : { actor: { ...actor, address } }) };
  };
}

/** Creates the admission of applications by their API keys. */
export function createKeyAdmission(
  engine: Engine,
  options: {
    readonly rateLimit: RateLimitOptions | undefined;
    readonly clock: Clock;
    readonly openRoutes: OpenRoutesLimit;
  },
): Admission<Caller> {
  const { rateLimit, clock, openRoutes } = options;
  const limiter = rateLimit === undefined ? undefined : limiterOf(rateLimit, clock);
  return async (request, notes, access) => {
    const key = request.headers.get('x-api-key');
    if (access === 'open' && key === null) return UNKNOWN;
    const caller = await engine.apiKeys.authenticate(key);
    if (key !== null) openRoutes.goodCredential(key);
    if (limiter !== undefined) {
      const { headers, refused } = await limiter.take(caller.apiKeyId ?? caller.applicationId);
      Object.assign(notes.headers, headers);
      if (refused !== undefined) throw refused;
    }
    return { ...caller, address: notes.client.address ?? null };
  };
}

function limiterOf(rateLimit: RateLimitOptions, clock: Clock): RateLimiter {
  checkRateLimit('rateLimit', rateLimit);
  const { perSecond, burst, sharedBy } = rateLimit;
  if (sharedBy === undefined) return createRateLimiter(rateLimit, clock);
  // The storage forgets unused budgets after a day; by then they must be full.
  if (burst / perSecond > LONGEST_FILL_S) {
    throw invalidOption('rateLimit.burst', 'must be at most what perSecond gives in a day');
  }
  return createSharedRateLimiter(rateLimit, sharedBy, clock);
}
