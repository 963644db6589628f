import { SYSTEM } from '../audit/index.ts';
import type { DataKeyService, RewrapReport } from '../engine-interface.ts';
import type { Clock, Logger, Random } from '../ports/index.ts';
import { jittered } from '../runtime/index.ts';

/** Pause between pages, so that the work does not slow down other users of the database. */
const PAUSE_MS = 100;
/** Wait after a pass that rewrapped keys: processes with the previous secret or keyring still create keys under it. */
const SOON_MS = 3_600_000;
const LATER_MS = 86_400_000;

/** Data keys are not all that a secret protects: these hashes and tokens are renewed by use, or not at all. */
const ALL_CURRENT =
  'all data keys are wrapped by the current keyring; API keys, feed addresses and booking tokens may still need previous secrets (Key rotation in docs/operating.md)';

/**
 * Rewraps all data keys by the current keyring: now, an hour after each pass that rewrapped some, else daily. Logs the
 * result. Ends by rejecting with the signal's reason.
 */
export async function keepKeysCurrent(
  dataKeys: Pick<DataKeyService, 'rewrap'>,
  { clock, logger, random }: { readonly clock: Clock; readonly logger: Logger; readonly random: Random },
  signal: AbortSignal,
): Promise<never> {
  for (let passes = 0; ; passes += 1) {
    const report = await dataKeys.rewrap({ pauseMs: PAUSE_MS, signal }, SYSTEM);
    if (passes === 0 || report.rewrapped > 0 || report.unopened > 0) logReport(logger, report);
    await clock.sleep(jittered(report.rewrapped > 0 ? SOON_MS : LATER_MS, random), signal);
  }
}

function logReport(logger: Logger, { unopenedKeys, ...counts }: RewrapReport): void {
  if (counts.unopened === 0) {
    logger.info(ALL_CURRENT, counts);
    return;
  }
  logger.info('some data keys could not be opened and are still wrapped as before', counts);
  for (const key of unopenedKeys) logger.error('data key not opened', { ...key });
}
