import type { Caller, Engine } from 'kalends';
import type { Clock } from 'kalends/ports';
import type { OpenRoutesLimit } from './open-routes-limit.ts';
import { createRateLimiter, type RateLimitOptions } from './rate-limit.ts';
import type { RequestNotes } from './request-notes.ts';
import type { Access } from './route.ts';

/** Returns who makes a request. @throws KalendsError with status 401 for an unknown caller, or RateLimited */
export type Admission<Who> = (request: Request, notes: RequestNotes, access: Access) => Promise<Who>;

/** Caller of an open route without a key; no open route reads it. */
const UNKNOWN: Caller = { applicationId: '' };

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
  const limiter = rateLimit === undefined ? undefined : createRateLimiter(rateLimit, clock);
  return async (request, notes, access) => {
    const key = request.headers.get('x-api-key');
    if (access === 'open' && key === null) return UNKNOWN;
    const caller = await engine.apiKeys.authenticate(key);
    if (key !== null) openRoutes.goodCredential(key);
    if (limiter !== undefined) {
      const { headers, refused } = limiter.take(caller.apiKeyId ?? caller.applicationId);
      Object.assign(notes.headers, headers);
      if (refused !== undefined) throw refused;
    }
    return { ...caller, address: notes.client.address ?? null };
  };
}
