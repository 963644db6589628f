import { type EventPatch, type EventTarget, ProviderError } from 'kalends/ports';

/** Attempts of a write that is merged into a fresh read. */
const MERGE_ATTEMPTS = 3;

/** Returns true for a patch that is merged into what Google has now, and sent under the tag of that read. */
export function isMerge(target: EventTarget, patch: EventPatch): boolean {
  return patch.attendees !== undefined || (target.kind === 'occurrence' && writesProperties(patch));
}

function writesProperties(patch: EventPatch): boolean {
  const { publicExtendedProperties, privateExtendedProperties, customColor } = patch;
  return [publicExtendedProperties, privateExtendedProperties, customColor].some((part) => part !== undefined);
}

/** One attempt of a write. */
export interface Attempt {
  /** Whether a merge went out under the tag of its read: its outcome is unknown if the call fails. */
  isMergeSent: boolean;
}

/**
 * Reads and writes again when the event changed in between, or when the outcome of a merge is unknown. Under the caller's
 * own tag a second read could not tell our write from another one: the caller decides.
 */
export async function merged<Result>(
  ifMatch: string | undefined,
  write: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    const attempt: Attempt = { isMergeSent: false };
    try {
      return await write(attempt);
    } catch (error) {
      if (ifMatch !== undefined || attempts >= MERGE_ATTEMPTS || !ProviderError.isInstance(error)) throw error;
      const isUnknown = attempt.isMergeSent && (error.reason === 'unavailable' || error.reason === 'timeout');
      if (!isUnknown && error.reason !== 'precondition-failed') throw error;
    }
  }
}
