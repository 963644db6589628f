import type { Clock, Finding, HostCheck } from '../ports/index.ts';
import { DeadlineError, describeError, withDeadline } from '../runtime/index.ts';

/** Longest time of each check: they run side by side, so the whole takes little more. */
const TIMEOUT_MS = 10_000;

/** Runs checks side by side. Resolves with their findings in the order of the checks; a check that fails or hangs is a finding too. */
export async function runChecks(checks: readonly HostCheck[], clock: Clock): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    checks.map(async ({ check, run }) => {
      try {
        return await withDeadline(clock, TIMEOUT_MS, run);
      } catch (error) {
        return [error instanceof DeadlineError ? late(check) : broken(check, error)];
      }
    }),
  );
  return findings.flat();
}

function late(check: string): Finding {
  const message = `The check did not end within ${TIMEOUT_MS / 1_000} s.`;
  return { check, status: 'warning', message, remedy: 'Run the diagnosis again when the system is less busy.' };
}

function broken(check: string, error: unknown): Finding {
  const message = `The check failed: ${describeError(error)}`;
  return { check, status: 'failed', message, remedy: 'Read the log of the same time.' };
}
