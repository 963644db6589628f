/**
 * Longest mirrored part of a description, in UTF-16 code units. No provider's own interface accepts one this long, but an
 * invitation by mail may contain any, and each hash and each answer would block the event loop.
 */
export const LONGEST_MIRRORED_DESCRIPTION = 1_000_000;

/** Longest mirrored part of any other text, such as a title, location or name, in UTF-16 code units. */
export const LONGEST_MIRRORED_TEXT = 32_768;

/** Returns the mirrored part of a description: its beginning, never ending in half of a surrogate pair. */
export function mirroredDescription(text: string): string {
  return beginningOf(text, LONGEST_MIRRORED_DESCRIPTION);
}

/** Returns the mirrored part of another text: its beginning, never ending in half of a surrogate pair. */
export function mirroredText(text: string): string {
  return beginningOf(text, LONGEST_MIRRORED_TEXT);
}

function beginningOf(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const last = text.charCodeAt(longest - 1);
  const isLead = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, longest - (isLead ? 1 : 0));
}
