import type { Clock, Logger, Random } from '../ports/index.ts';
import { jittered } from '../runtime/index.ts';
import type { DataKeyService, RewrapReport } from '../services.ts';

/** Between pages: the work must not be felt by others on the database. */
const PAUSE_MS = 100;
/** Processes that still have the earlier secret as theirs go on making keys under it. */
const SOON_MS = 3_600_000;
const LATER_MS = 86_400_000;

/**
 * Wraps all data keys under the current secret at once, an hour after each pass that found some, else daily, and tells the
 * log what it did. Ends by rejecting with the signal's reason.
 */
export async function keepKeysCurrent(
  dataKeys: DataKeyService,
  { clock, logger, random }: { readonly clock: Clock; readonly logger: Logger; readonly random: Random },
  signal: AbortSignal,
): Promise<never> {
  for (let passes = 0; ; passes += 1) {
    const report = await dataKeys.rewrap({ pauseMs: PAUSE_MS, signal });
    if (passes === 0 || report.rewrapped > 0 || report.unopened > 0) tell(logger, report);
    await clock.sleep(jittered(report.rewrapped > 0 ? SOON_MS : LATER_MS, random), signal);
  }
}

function tell(logger: Logger, { unopenedKeys, ...counts }: RewrapReport): void {
  if (counts.unopened === 0) {
    logger.info('every data key is wrapped under the current secret and needs no previous one any more', counts);
    return;
  }
  logger.info('data keys were wrapped under the current secret, but for those that could not be opened', counts);
  for (const key of unopenedKeys) logger.error('a data key could not be opened', { ...key });
}
