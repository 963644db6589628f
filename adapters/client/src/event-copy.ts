import type { CalendarEvent, DeletedEvent } from './model/event.ts';
import type { WebhookMessage } from './model/webhook-endpoint.ts';
import type { SyncResult } from './sync.ts';

/** A copy of a calendar's events, as a list without filters has them, that follows messages with records. */
export interface EventCopy {
  /** The events by their id. */
  readonly records: Map<string, CalendarEvent>;
  /** Records that messages have replaced or dropped since the sync token, by id; undefined for one that was not there. */
  readonly replaced: Map<string, CalendarEvent | undefined>;
  /** Token of the latest sync; undefined before the first. */
  syncToken: string | undefined;
  /** Revision that the copy is as of; undefined before the first sync. */
  revision: string | undefined;
  /** Revision of the latest message. */
  seen: string | undefined;
}

/** Creates an empty copy, which needs a sync. */
export function eventCopy(): EventCopy {
  return { records: new Map(), replaced: new Map(), syncToken: undefined, revision: undefined, seen: undefined };
}

/**
 * Applies a message to the copy of its calendar. Returns false when the copy needs a sync instead: the message does not follow on
 * what the copy has, or has no records. A repeated message changes nothing. Apply messages and syncs one at a time; a sync that
 * a message asks for begins after that message.
 */
export function foldMessage(copy: EventCopy, message: WebhookMessage): boolean {
  if (!('data' in message) || !('eventId' in message.data)) return false;
  const { revision, previousRevision, eventId, event, occurrences } = message.data;
  const follows = previousRevision === copy.seen;
  copy.seen = revision;
  if (copy.revision === undefined) return false;
  if (revision === copy.revision) return true;
  // A sync was ahead of the messages, which follow on each other.
  if (previousRevision !== copy.revision) return follows && isUpTo(revision, copy.revision);
  const put = (id: string, record: CalendarEvent | undefined) => {
    if (!copy.replaced.has(id)) copy.replaced.set(id, copy.records.get(id));
    keep(copy, id, record);
  };
  put(eventId, event ?? undefined);
  for (const record of occurrences) put(record.id, isDeleted(record) ? undefined : record);
  copy.revision = revision;
  return true;
}

/** Applies the result of `events.sync` with the copy's token and no filters: it follows on the token, not on the messages since. */
export function mergeSync(
  copy: EventCopy,
  { records, isFull, syncToken, revision }: SyncResult<CalendarEvent | DeletedEvent>,
): void {
  if (isFull) copy.records.clear();
  else for (const [id, record] of copy.replaced) keep(copy, id, record);
  copy.replaced.clear();
  for (const record of records) keep(copy, record.id, isDeleted(record) ? undefined : record);
  copy.syncToken = syncToken;
  copy.revision = revision;
}

/** Whether a revision of one history is the other one or comes before it. */
function isUpTo(revision: string, other: string): boolean {
  const [[number, part], [otherNumber, otherPart]] = [placeOf(revision), placeOf(other)];
  return number < otherNumber || (number === otherNumber && part <= otherPart);
}

/** Returns the numbers that a revision begins with: its own, and that of a part of its changes; the whole is the last part. */
function placeOf(revision: string): readonly [number, number] {
  const [number = 0, part = Number.POSITIVE_INFINITY] = revision.slice(0, revision.indexOf('-')).split('.').map(Number);
  return [number, part];
}

function keep({ records }: EventCopy, id: string, record: CalendarEvent | undefined): void {
  if (record === undefined) records.delete(id);
  else records.set(id, record);
}

function isDeleted(record: CalendarEvent | DeletedEvent): record is DeletedEvent {
  return 'isDeleted' in record;
}
