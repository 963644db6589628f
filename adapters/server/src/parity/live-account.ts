import type { ParityAccount } from '@kalends/conformance';
import { systemClock } from 'kalends/runtime';
import type { ParitySettings } from './parity-settings.ts';
import { type ProviderName, providerAt } from './provider-at.ts';

/** Returns the test account of the settings, without its refresh token. `settleMs` is the wait after each write. */
export function liveAccount(
  name: ProviderName,
  { clientId, clientSecret, tenant, root }: ParitySettings,
  settleMs: number,
): Omit<ParityAccount, 'refreshToken'> {
  return {
    createProvider: (fetch) => providerAt(name, { root, clock: systemClock, fetch }),
    fetch: (input, init) => fetch(input, init),
    client: { clientId, clientSecret, settings: tenant === undefined ? {} : { tenant } },
    now: systemClock.now,
    settle: () => systemClock.sleep(settleMs),
  };
}
