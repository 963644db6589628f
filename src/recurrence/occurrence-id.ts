import { formatDate, formatWall } from '../zones/wall-time.ts';
import { parseTime } from './parse-time.ts';
import { RecurrenceError } from './recurrence-error.ts';

/** The original start of a slot: an instant, or for an all-day series the midnight of its date as if in UTC. */
export type OriginalStart =
  | { readonly kind: 'instant'; readonly ms: number }
  | { readonly kind: 'date'; readonly wallMs: number };

/** The id of an occurrence: `{seriesId}_{YYYYMMDDTHHMMSSZ}` in UTC, or `{seriesId}_{YYYYMMDD}` for an all-day series. */
export function occurrenceId(seriesId: string, start: OriginalStart): string {
  return `${seriesId}_${recurrenceIdOf(start)}`;
}

/** The original start in the form that occurrence ids end in: `20260301T140000Z` or `20260301`. */
export function recurrenceIdOf(start: OriginalStart): string {
  if (start.kind === 'date') return formatDate(start.wallMs).replaceAll('-', '');
  return `${formatWall(start.ms).replaceAll(/[-:]/g, '')}Z`;
}

/** Reads an occurrence id, splitting at its last underscore; undefined when it does not end in an original start. */
export function parseOccurrenceId(
  id: string,
): { readonly seriesId: string; readonly originalStart: OriginalStart } | undefined {
  const at = id.lastIndexOf('_');
  const originalStart = at < 1 ? undefined : readOriginalStart(id.slice(at + 1));
  return originalStart && { seriesId: id.slice(0, at), originalStart };
}

function readOriginalStart(text: string): OriginalStart | undefined {
  if (!/^\d{8}(T\d{6}Z)?$/.test(text)) return undefined;
  try {
    const time = parseTime(text, 'id');
    return time.form === 'date' ? { kind: 'date', wallMs: time.wallMs } : { kind: 'instant', ms: time.wallMs };
  } catch (error) {
    // Digits that are no date are just part of some other id.
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}
