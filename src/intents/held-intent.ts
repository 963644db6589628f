import type { ClaimedIntent, IntentRef } from '../ports/index.ts';

/** An intent whose lease this process holds. */
export interface HeldIntent extends ClaimedIntent {
  readonly ref: IntentRef;
  /** Set by the code that ends it: an intent that is not over when the work ends is abandoned. */
  isOver: boolean;
}

export function heldIntent(claimed: ClaimedIntent): HeldIntent {
  const { key, id, epoch } = claimed.intent;
  return { ...claimed, ref: { applicationId: key.applicationId, id, epoch }, isOver: false };
}
