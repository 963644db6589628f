import { vi } from 'vitest';

/** Hides the settings of the environment until `vi.unstubAllEnvs()`: a shell that runs the tests may have some. */
export function withoutSettings(): void {
  for (const name of Object.keys(process.env)) {
    if (/^(?:KALENDS|VAULT)_/.test(name)) vi.stubEnv(name, undefined);
  }
}
