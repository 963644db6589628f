import type { auditTexts } from '../../texts/en/audit.ts';

/** Returns the filter that a text means: an id of ours, the name of an act, or else an actor. */
export function filterOf(text: string): keyof typeof auditTexts.filters {
  if (/^key_/.test(text)) return 'actorId';
  if (/^[a-z]{3}_\w+$/.test(text)) return 'target';
  return /^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/.test(text) ? 'action' : 'actorId';
}
