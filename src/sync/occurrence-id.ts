import type { SlotStart } from '../ports/index.ts';
import { formatDate, formatWall, parseWall } from '../zones/index.ts';

/** `{seriesId}_{YYYYMMDDTHHMMSSZ}` (UTC original start) or `{seriesId}_{YYYYMMDD}` for all-day. */
export function occurrenceId(seriesId: string, slot: SlotStart): string {
  return `${seriesId}_${slotStamp(slot)}`;
}

/** Series and slot that an occurrence id names, undefined for an id of another form. */
export function parseOccurrenceId(id: string): { readonly seriesId: string; readonly slot: SlotStart } | undefined {
  const match = /^(.+)_(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/s.exec(id);
  if (match === null) return undefined;
  const [, seriesId, year, month, day, hour, minute, second] = match;
  const date = `${year}-${month}-${day}`;
  const wall = parseWall(hour === undefined ? date : `${date}T${hour}:${minute}:${second}`);
  if (wall === undefined) return undefined;
  const slot: SlotStart = wall.dateOnly ? { kind: 'date', date } : { kind: 'instant', startMs: wall.wallMs };
  return { seriesId: seriesId!, slot };
}

/** The slot's start as milliseconds: an instant, or a date's midnight as if in UTC. */
export function slotMs(slot: SlotStart): number {
  return slot.kind === 'instant' ? slot.startMs : (parseWall(slot.date)?.wallMs ?? Number.NaN);
}

function slotStamp(slot: SlotStart): string {
  const text = slot.kind === 'instant' ? `${formatWall(slot.startMs)}Z` : formatDate(slotMs(slot));
  return text.replaceAll(/[-:]/g, '');
}
