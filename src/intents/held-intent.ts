import type { ClaimedIntent, HeldGroups, IntentRef } from '../ports/index.ts';

/** An intent to work on. */
export interface WorkableIntent extends ClaimedIntent {
  /** Of one that has just begun. */
  readonly held?: HeldGroups;
}

/** An intent whose lease this process holds. */
export interface HeldIntent extends WorkableIntent {
  readonly ref: IntentRef;
  /** Set by the code that ends it: an intent that is not over when the work ends is abandoned. */
  isOver: boolean;
}

export function heldIntent(claimed: WorkableIntent): HeldIntent {
  const { key, id, epoch } = claimed.intent;
  return { ...claimed, ref: { applicationId: key.applicationId, id, epoch }, isOver: false };
}
