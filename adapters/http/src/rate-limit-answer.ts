import { KalendsError } from 'kalends';
import { invalidOption } from './invalid-option.ts';

/** Requests of one API key. */
export interface RateLimit {
  /** Requests per second in the long run. */
  readonly perSecond: number;
  /** Most requests at once. */
  readonly burst: number;
}

/** Checks a limit that is an option. @throws KalendsError InvalidRequest naming it, or its member */
export function checkRateLimit(option: string, limit: RateLimit): void {
  if (typeof limit !== 'object' || limit === null)
    throw invalidOption(option, 'must be an object with perSecond and burst');
  const { perSecond, burst } = limit;
  for (const [name, value] of Object.entries({ perSecond, burst })) {
    if (!(Number.isFinite(value) && value > 0)) throw invalidOption(`${option}.${name}`, 'must be a number above 0');
  }
  if (burst < 1) throw invalidOption(`${option}.burst`, 'must be at least 1');
}

/** RateLimit headers of an answer, and the error of a request beyond the limit. */
export interface RateLimitAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly refused?: KalendsError;
}

/**
 * Creates the answers of a limit, with RateLimit and RateLimit-Policy as structured fields.
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/11/
 */
export function rateLimitAnswer({ perSecond, burst }: RateLimit): {
  /** @param left requests that could be made at once */
  admitted(left: number): RateLimitAnswer;
  refused(retryAfterMs: number): RateLimitAnswer;
} {
  const windowSeconds = Math.max(1, Math.round(burst / perSecond));
  const headers = (left: number) => ({
    'ratelimit-policy': `"api-key";q=${burst};w=${windowSeconds}`,
    ratelimit: `"api-key";r=${Math.floor(left)};t=${Math.ceil((burst - left) / perSecond)}`,
  });
  return {
    admitted: (left) => ({ headers: headers(left) }),
    refused(retryAfterMs) {
      const message = `more than ${perSecond} requests per second with one API key`;
      return { headers: headers(0), refused: new KalendsError('RateLimited', message, { retryAfterMs }) };
    },
  };
}
