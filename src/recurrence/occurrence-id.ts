import { formatDate, formatWall, parseWall } from '../zones/wall-time.ts';
import { parseTime } from './parse-time.ts';
import { RecurrenceError } from './recurrence-error.ts';

/** Original start of a slot: an instant (epoch ms) of a timed series, or a date of an all-day series. */
export type RecurrenceId =
  | { readonly kind: 'instant'; readonly startMs: number }
  | { readonly kind: 'date'; readonly date: string };

/** Returns `{seriesId}_{YYYYMMDDTHHMMSSZ}` (in UTC), or `{seriesId}_{YYYYMMDD}` for an all-day series. */
export function occurrenceId(seriesId: string, recurrenceId: RecurrenceId): string {
  return `${seriesId}_${recurrenceIdText(recurrenceId)}`;
}

/** Returns the text that occurrence ids end in: `20260301T140000Z` or `20260301`. */
export function recurrenceIdText(recurrenceId: RecurrenceId): string {
  if (recurrenceId.kind === 'date') return recurrenceId.date.replaceAll('-', '');
  return `${formatWall(recurrenceId.startMs).replaceAll(/[-:]/g, '')}Z`;
}

/** Returns the slot's start in milliseconds: an instant, or a date's midnight as if UTC. */
export function recurrenceIdMs(recurrenceId: RecurrenceId): number {
  if (recurrenceId.kind === 'instant') return recurrenceId.startMs;
  return parseWall(recurrenceId.date)?.wallMs ?? Number.NaN;
}

/** Parses an occurrence id at its last underscore; undefined when it does not end in a recurrence id. */
export function parseOccurrenceId(
  id: string,
): { readonly seriesId: string; readonly recurrenceId: RecurrenceId } | undefined {
  const at = id.lastIndexOf('_');
  const recurrenceId = at < 1 ? undefined : parseRecurrenceId(id.slice(at + 1));
  return recurrenceId && { seriesId: id.slice(0, at), recurrenceId };
}

function parseRecurrenceId(text: string): RecurrenceId | undefined {
  if (!/^\d{8}(T\d{6}Z)?$/.test(text)) return undefined;
  try {
    const { form, wallMs } = parseTime(text, 'id');
    return form === 'date' ? { kind: 'date', date: formatDate(wallMs) } : { kind: 'instant', startMs: wallMs };
  } catch (error) {
    // Digits that are no date are part of some other id.
    if (error instanceof RecurrenceError) return undefined;
    throw error;
  }
}
