import { type ActivityFeed, NO_ACTIVITY } from '../activity/index.ts';
import { KalendsError } from '../errors.ts';
import { isDaySpent } from '../leases/index.ts';
import type { Clock, CollectionKey } from '../ports/index.ts';
import { isKeyringOutage } from '../runtime/index.ts';
import { failureOf } from './last-failure.ts';
import type { PullOutcome } from './pull-context.ts';
import { NewerMappingError } from './resume-point.ts';

/** Runs a pull that records its own outcome, and tells the activity of its end. */
export async function tellPull(
  deps: {
    readonly activity?: Pick<ActivityFeed, 'tell'>;
    readonly clock: Clock;
    readonly toPublicError: (error: unknown) => unknown;
  },
  { applicationId, accountId: endUserAccountId, calendarId }: CollectionKey,
  pull: () => Promise<PullOutcome>,
): Promise<PullOutcome> {
  const { activity = NO_ACTIVITY, clock } = deps;
  const startedAt = clock.now();
  const collection = { applicationId, endUserAccountId, calendarId };
  try {
    const pulled = await pull();
    const { changed } = pulled;
    const durationMs = clock.now() - startedAt;
    activity.tell({ type: 'pull.ended', ...collection, outcome: 'ok', changed, durationMs, errorCode: null });
    return pulled;
  } catch (error) {
    const durationMs = clock.now() - startedAt;
    const { code: errorCode } = failureOf(deps, error);
    const outcome = outcomeOf(error);
    activity.tell({ type: 'pull.ended', ...collection, outcome, changed: null, durationMs, errorCode });
    throw error;
  }
}

/** Returns how a pull ended that threw. */
export function outcomeOf(error: unknown): 'failed' | 'postponed' | 'abandoned' {
  if (isAbandoned(error)) return 'abandoned';
  return isPostponed(error) ? 'postponed' : 'failed';
}

/** Whether a pull has not asked the provider, and did not fail. */
function isPostponed(error: unknown): boolean {
  return isDaySpent(error) || isKeyringOutage(error) || error instanceof NewerMappingError;
}

/** Whether a pull ended because its lease was lost: another process goes on with it. */
export function isTakeover(error: unknown): boolean {
  return KalendsError.isInstance(error) && error.code === 'Conflict';
}

/** Whether a pull ended because its calendar is gone, or because another holder of its lease goes on with it. */
export function isAbandoned(error: unknown): boolean {
  return isTakeover(error) || (KalendsError.isInstance(error) && error.code === 'NotFound');
}
