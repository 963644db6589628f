import { ProviderError, type RecurrenceId } from 'kalends/ports';
import { recurrenceIdText } from 'kalends/recurrence';
import { findPath, idOfPath, pathOfId } from '../protocol/paths.ts';
import { isObjectPath } from '../server-kind.ts';

const SLOT = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/;

/** An id taken apart: the object, and the slot of an exception in it. */
export interface EventAddress {
  readonly path: string;
  readonly slot: RecurrenceId | null;
}

/** Returns the id of an exception: that of its object and its slot. A full stop is in no base64url. */
export function exceptionId(objectId: string, slot: RecurrenceId): string {
  return `${objectId}.${recurrenceIdText(slot)}`;
}

export { idOfPath as objectId };

/** Reads an id. @throws ProviderError not-found for one that is no object's of this calendar */
export function addressOf(id: string, calendarId: string): EventAddress {
  const address = findAddress(id, calendarId);
  if (address === undefined) throw new ProviderError('not-found', 'the calendar has no such event');
  return address;
}

/** Reads an id; undefined for one that is no object's of this calendar. */
export function findAddress(id: string, calendarId: string): EventAddress | undefined {
  const [objectPart = '', slotPart] = id.split('.');
  const path = findPath(objectPart);
  const calendarPath = pathOfId(calendarId);
  const slot = slotPart === undefined ? null : readSlot(slotPart);
  if (path === undefined || slot === undefined || !path.startsWith(calendarPath)) return undefined;
  return isObjectPath(path, calendarPath) ? { path, slot } : undefined;
}

function readSlot(text: string): RecurrenceId | undefined {
  const [, year, month, day, hour, minute, second] = SLOT.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return { kind: 'date', date };
  const startMs = Date.parse(`${date}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(startMs) ? undefined : { kind: 'instant', startMs };
}
