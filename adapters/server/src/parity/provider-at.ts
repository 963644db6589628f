import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import type { Clock, Fetch, OAuthProvider, Random } from 'kalends/ports';

export const PROVIDER_NAMES = ['google', 'microsoft'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** A provider's service, or a stand-in for it. */
export interface ProviderPlace {
  /** Root of a stand-in; undefined for the real service. */
  readonly root: string | undefined;
  readonly clock: Clock;
  readonly fetch: Fetch;
  /** @default node:crypto */
  readonly random?: Random;
  /** Time limit of a request. @default 30_000 */
  readonly timeoutMs?: number;
}

const DAY_MS = 86_400_000;
/** Before every time of the suite. */
const FIRST_DAY = Date.UTC(2025, 10, 1);
/** The suite may use up the calls of a minute: it waits for the next one instead of failing. */
const MAX_WAIT_MS = 120_000;

/** Creates a provider for the suite. */
export function providerAt(name: ProviderName, place: ProviderPlace): OAuthProvider {
  const { root, clock, timeoutMs = 30_000, ...means } = place;
  // A stand-in needs no pace.
  const limits = root === undefined ? { timeoutMs } : { timeoutMs, callsPerInterval: Infinity };
  const options = { ...means, clock, limits, retry: { maxWaitMs: MAX_WAIT_MS } };
  if (name === 'google') return google({ ...(root && googleEndpoints(root)), ...options });
  const window = { pastMs: Math.max(365 * DAY_MS, clock.now() - FIRST_DAY), futureMs: 730 * DAY_MS };
  return microsoft({ ...(root && microsoftEndpoints(root)), ...options, window });
}
