import type { ParityAccount } from '@kalends/conformance';
import { systemClock } from 'kalends/runtime';
import { CommandError } from '../command-error.ts';
import { type ProviderName, providerAt } from './provider-at.ts';

/** Environment variables with the credentials of the test account. */
export const VARIABLES = [
  'KALENDS_PARITY_CLIENT_ID',
  'KALENDS_PARITY_CLIENT_SECRET',
  'KALENDS_PARITY_REFRESH_TOKEN',
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the test account of the environment. @throws CommandError naming a missing variable */
export function liveAccount(name: ProviderName, env: Environment, settleMs: number): ParityAccount {
  const [clientId, clientSecret, refreshToken] = VARIABLES.map((variable) => {
    const value = env[variable];
    if (value === undefined || value === '')
      throw new CommandError(`${variable} must be set\nSee: kalends parity --help`);
    return value;
  }) as [string, string, string];
  const tenant = env['KALENDS_PARITY_TENANT'];
  // For rehearsals against a stand-in over HTTP.
  const root = env['KALENDS_PARITY_ROOT'];
  return {
    createProvider: (fetch) => providerAt(name, root, systemClock, fetch),
    fetch: (input, init) => fetch(input, init),
    client: { clientId, clientSecret, settings: tenant === undefined ? {} : { tenant } },
    refreshToken,
    now: systemClock.now,
    settle: () => systemClock.sleep(settleMs),
  };
}
