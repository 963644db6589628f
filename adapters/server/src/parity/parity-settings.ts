import { z } from 'zod';
import { CommandError } from '../command-error.ts';
import type { Environment } from '../environment.ts';
import { readTable, type SettingsOf } from '../settings.ts';

const given = z.string().min(1, 'must not be empty');

/** The settings of the test account. They are secrets or belong to one account, so none has a flag. */
const PARITY_SETTINGS = {
  clientId: { variable: 'KALENDS_PARITY_CLIENT_ID', schema: given },
  clientSecret: { variable: 'KALENDS_PARITY_CLIENT_SECRET', schema: given },
  refreshToken: { variable: 'KALENDS_PARITY_REFRESH_TOKEN', schema: given.optional() },
  tenant: { variable: 'KALENDS_PARITY_TENANT', schema: given.optional() },
  root: {
    variable: 'KALENDS_PARITY_ROOT',
    schema: z
      .url({
        protocol: /^https?$/,
        error: 'must be the absolute URL of a stand-in, such as http://127.0.0.1:4040/google',
      })
      .optional(),
  },
} as const;

export const PARITY_VARIABLES: readonly string[] = Object.values(PARITY_SETTINGS).map(({ variable }) => variable);

export type ParitySettings = SettingsOf<typeof PARITY_SETTINGS>;

/** Reads the settings of the test account. @throws CommandError naming every missing and invalid one */
export function readParitySettings(env: Environment): ParitySettings {
  return readTable(PARITY_SETTINGS, {}, env);
}

/** Returns the refresh token. @throws CommandError when there is none */
export function requireRefreshToken({ refreshToken }: ParitySettings): string {
  if (refreshToken !== undefined) return refreshToken;
  throw new CommandError('KALENDS_PARITY_REFRESH_TOKEN is required; or give --connect to sign in with a browser');
}
