import type { ClaimedIntent, IntentRef } from '../ports/index.ts';

/** An intent that this process works on. */
export interface TrackedIntent extends ClaimedIntent {
  readonly ref: IntentRef;
  /** Noted by whoever ends it: what is not over when the work ends is left to the sweeper. */
  isOver: boolean;
}

export function trackedIntent(claimed: ClaimedIntent): TrackedIntent {
  const { key, id, epoch } = claimed.intent;
  return { ...claimed, ref: { applicationId: key.applicationId, id, epoch }, isOver: false };
}
