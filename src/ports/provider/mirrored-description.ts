/**
 * Longest mirrored part of a description, in UTF-16 code units. No provider's own interface accepts one this long, but an
 * invitation by mail may contain any, and each hash and each answer would block the event loop.
 */
export const LONGEST_MIRRORED_DESCRIPTION = 1_000_000;

/** Returns the mirrored part of a description: its beginning, never ending in half of a surrogate pair. */
export function mirroredDescription(text: string): string {
  if (text.length <= LONGEST_MIRRORED_DESCRIPTION) return text;
  const last = text.charCodeAt(LONGEST_MIRRORED_DESCRIPTION - 1);
  const isLead = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, LONGEST_MIRRORED_DESCRIPTION - (isLead ? 1 : 0));
}
