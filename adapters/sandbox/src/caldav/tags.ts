import { type CalDavContext, hasQuirk } from './caldav-context.ts';
import type { StoredCalendar, StoredObject } from './caldav-state.ts';

export const etagOf = ({ revision }: StoredObject): string =>
  `"${revision.toString(36)}-${(revision * 7919) % 65_536}"`;

/** Returns the tag as headers show it. */
export const headerEtag = (context: CalDavContext, object: StoredObject): string =>
  `${hasQuirk(context, 'weakEtags') ? 'W/' : ''}${etagOf(object)}`;

export const scheduleTagOf = ({ scheduleRevision }: StoredObject): string | undefined =>
  scheduleRevision === null ? undefined : `"s-${scheduleRevision.toString(36)}"`;

export const ctagOf = ({ id, revision }: StoredCalendar): string => `${id}-${revision}`;

/** A place in the history of a calendar: all changes after a revision, or also after an instant (epoch milliseconds). */
export interface SyncPoint {
  readonly revision: number;
  readonly after?: number | undefined;
}

/** Returns a token for all changes after a point, a URI as RFC 6578 asks. */
export const syncTokenOf = ({ id }: StoredCalendar, { revision, after }: SyncPoint): string =>
  `urn:sandbox:sync:${id}:${revision}${after === undefined ? '' : `:${after}`}`;

/** Returns the point of a token; undefined for one that is not of this calendar, or has ended. */
export function syncPointOf(calendar: StoredCalendar, token: string): SyncPoint | undefined {
  const [, id, text, after] = /^urn:sandbox:sync:([^:]+):(\d+)(?::(\d+))?$/.exec(token) ?? [];
  const revision = Number(text);
  const isValid = id === calendar.id && revision >= calendar.oldestToken && revision <= calendar.revision;
  return isValid ? { revision, after: after === undefined ? undefined : Number(after) } : undefined;
}
