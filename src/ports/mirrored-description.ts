/**
 * Longest part of a provider's description that is mirrored, in UTF-16 code units. Neither provider takes one that long from
 * its own interface; an invitation by mail may carry any. Each hash and each answer would hold the event loop with it.
 */
export const LONGEST_MIRRORED_DESCRIPTION = 1_000_000;

/** Returns a provider's description as it is mirrored: its beginning, which never ends in half of a surrogate pair. */
export function mirroredDescription(text: string): string {
  if (text.length <= LONGEST_MIRRORED_DESCRIPTION) return text;
  const last = text.charCodeAt(LONGEST_MIRRORED_DESCRIPTION - 1);
  const isLead = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, LONGEST_MIRRORED_DESCRIPTION - (isLead ? 1 : 0));
}
