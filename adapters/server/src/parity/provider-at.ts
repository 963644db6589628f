import { google, googleEndpoints } from '@kalends/google';
import { microsoft, microsoftEndpoints } from '@kalends/microsoft';
import type { Clock, Fetch, Provider } from 'kalends/ports';

export type ProviderName = 'google' | 'microsoft';

const DAY_MS = 86_400_000;
/** Before every time of the suite. */
const FIRST_DAY = Date.UTC(2025, 10, 1);

/** Creates a provider for the suite; `root` is that of a stand-in, undefined the real service. */
export function providerAt(name: ProviderName, root: string | undefined, clock: Clock, fetch: Fetch): Provider {
  // The suite may use up the calls of a minute: it waits for the next one instead of failing. A stand-in needs no pace.
  const pace = root === undefined ? { retry: { maxWaitMs: 120_000 } } : { limits: { callsPerInterval: Infinity } };
  if (name === 'google') return google({ ...(root && googleEndpoints(root)), ...pace, clock, fetch });
  const window = { pastMs: Math.max(365 * DAY_MS, clock.now() - FIRST_DAY), futureMs: 730 * DAY_MS };
  return microsoft({ ...(root && microsoftEndpoints(root)), ...pace, clock, fetch, window });
}
