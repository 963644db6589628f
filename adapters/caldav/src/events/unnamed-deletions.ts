import type { CalendarRef, ProviderSession, PullKnowledge } from 'kalends/ports';
import { pathOfId } from '../protocol/paths.ts';
import { ignoresConditions } from '../server-kind.ts';
import { findAddress } from './event-ids.ts';
import type { ListedObject, ObjectCalls } from './object-calls.ts';

/** An answer that names this share of a calendar's objects, and no deletion, is held against a list. */
const SUSPICIOUS = 0.5;

/** Objects that an answer to a sync token named, and those known before it. */
interface NamedObjects {
  readonly named: ReadonlySet<string>;
  /** Objects of the calendar when they were last listed; 0 where that is unknown. */
  readonly size: number;
  readonly known: PullKnowledge | undefined;
}

/**
 * Finds deletions that an answer to a sync token leaves out. A server may answer a dead token with everything, and no deletion
 * (DAViCal, iCloud). The sign of it: the answer names all objects there are. A small calendar of which each object has changed looks
 * the same, so the answer stands, and mirrored objects that are absent are read. SOGo names the deletions, and all changes of the
 * token's second each time.
 * @returns mirrored objects that the calendar does not list, and its number of objects as far as it is known
 */
export async function findUnnamed(
  calls: ObjectCalls,
  session: ProviderSession,
  calendar: CalendarRef,
  { named, size, known }: NamedObjects,
): Promise<{ readonly size: number; readonly unlisted: readonly ListedObject[] }> {
  const calendarPath = pathOfId(calendar.id);
  const isSuspicious = size > 0 && named.size >= size * SUSPICIOUS && !ignoresConditions(calendarPath);
  // So the list costs about as much as the answer that gave rise to it.
  if (!isSuspicious || known === undefined) return { size: Math.max(size, named.size), unlisted: [] };
  const listed = new Set((await calls.list(session, calendarPath)).map(({ path }) => path));
  const namesAll = [...listed].every((path) => named.has(path));
  return { size: listed.size, unlisted: namesAll ? await findUnlisted(calendar, listed, known) : [] };
}

/** Finds mirrored objects that a list of the calendar lacks. They may have come since it was made. */
export async function findUnlisted(
  calendar: CalendarRef,
  listed: ReadonlySet<string>,
  known: PullKnowledge,
): Promise<readonly ListedObject[]> {
  const unlisted: ListedObject[] = [];
  for await (const ids of known.listIds()) {
    for (const id of ids) {
      const path = findAddress(id, calendar.id)?.path;
      if (path !== undefined && !listed.has(path)) unlisted.push({ path, tag: null });
    }
  }
  return unlisted;
}
