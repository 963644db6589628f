import type { SlotStart } from '../ports/index.ts';
import { parseOccurrenceId as parseId, occurrenceId as printId } from '../recurrence/index.ts';
import { formatDate, parseWall } from '../zones/index.ts';

/** `{seriesId}_{YYYYMMDDTHHMMSSZ}` (UTC original start) or `{seriesId}_{YYYYMMDD}` for all-day. */
export function occurrenceId(seriesId: string, slot: SlotStart): string {
  const ms = slotMs(slot);
  return printId(seriesId, slot.kind === 'instant' ? { kind: 'instant', ms } : { kind: 'date', wallMs: ms });
}

/** Series and slot that an occurrence id names, undefined for an id of another form. */
export function parseOccurrenceId(id: string): { readonly seriesId: string; readonly slot: SlotStart } | undefined {
  const parsed = parseId(id);
  if (parsed === undefined) return undefined;
  const { seriesId, originalStart: start } = parsed;
  const slot: SlotStart =
    start.kind === 'date' ? { kind: 'date', date: formatDate(start.wallMs) } : { kind: 'instant', startMs: start.ms };
  return { seriesId, slot };
}

/** The slot's start as milliseconds: an instant, or a date's midnight as if in UTC. */
export function slotMs(slot: SlotStart): number {
  return slot.kind === 'instant' ? slot.startMs : (parseWall(slot.date)?.wallMs ?? Number.NaN);
}
