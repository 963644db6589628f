import { hasQuirk } from '../caldav-context.ts';
import type { StoredCalendar } from '../caldav-state.ts';
import { type CalendarResource, type DavCall, hrefOf, type ObjectResource } from '../resources.ts';
import { type SyncPoint, syncPointOf, syncTokenOf } from '../tags.ts';
import { DavError } from '../wire/dav-error.ts';
import { DAV } from '../wire/names.ts';
import { davTag, escapeXml, multistatus, statusResponse } from '../wire/print-xml.ts';
import { childOf, type XmlElement } from '../wire/read-xml.ts';
import { describeObject, wishOf } from './describe-object.ts';

interface Change {
  readonly name: string;
  readonly revision: number;
  readonly modifiedAt: number;
  readonly isDeleted: boolean;
}

/** Answers sync-collection (RFC 6578): the changes after a token in their order, and the token behind the last one. */
export function syncCollection(call: DavCall, parent: CalendarResource, root: XmlElement): Response {
  const { context } = call;
  const depth = call.request.headers.get('depth') ?? '0';
  if (depth !== '0') throw new DavError(400, undefined, { message: 'sync-collection takes Depth: 0' });
  const { calendar } = parent;
  const token = childOf(root, { uri: DAV, local: 'sync-token' });
  if (token === undefined) throw new DavError(400, undefined, { message: 'DAV:sync-token is missing' });
  const point = startOf(calendar, token.text.trim(), hasQuirk(context, 'fullListForEndedToken'));
  const changes = changesSince(calendar, point);
  const limit = Math.min(limitOf(root), context.state.syncPageSize ?? Number.POSITIVE_INFINITY);
  const shown = changes.slice(0, limit);
  const isCut = shown.length < changes.length;
  const wish = wishOf(root);
  const responses = shown.map(({ name, isDeleted }) => {
    const object = calendar.objects[name];
    const resource: ObjectResource = { kind: 'object', parent, name, object };
    return isDeleted ? statusResponse(hrefOf(call, resource), 404) : describeObject(call, resource, wish);
  });
  const cut = davTag('error', davTag('number-of-matches-within-limits'));
  const more = isCut ? [statusResponse(hrefOf(call, parent), 507, cut)] : [];
  const last = isCut ? (shown.at(-1)?.revision ?? calendar.revision) : calendar.revision;
  const next = davTag('sync-token', escapeXml(syncTokenOf(calendar, { revision: last })));
  return multistatus([...responses, ...more], next);
}

/** Returns the point of a token; undefined for everything. */
function startOf(calendar: StoredCalendar, token: string, isForgiving: boolean): SyncPoint | undefined {
  if (token === '') return undefined;
  const point = syncPointOf(calendar, token);
  if (point === undefined && !isForgiving) throw new DavError(403, 'valid-sync-token');
  return point;
}

function changesSince(calendar: StoredCalendar, point: SyncPoint | undefined): readonly Change[] {
  const present = Object.values(calendar.objects).map((object) => ({ ...object, isDeleted: false }));
  const deleted = Object.entries(calendar.tombstones).map(([name, tombstone]) => ({
    name,
    ...tombstone,
    isDeleted: true,
  }));
  const isAfter = ({ revision, modifiedAt }: Change): boolean =>
    point === undefined || (revision > point.revision && (point.after === undefined || modifiedAt > point.after));
  return [...present, ...(point === undefined ? [] : deleted)]
    .filter(isAfter)
    .sort((one, other) => one.revision - other.revision);
}

/** `DAV:limit` with `DAV:nresults`. */
function limitOf(root: XmlElement): number {
  const limit = childOf(childOf(root, { uri: DAV, local: 'limit' }), { uri: DAV, local: 'nresults' });
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  const count = Number(limit.text.trim());
  if (!Number.isInteger(count) || count < 1)
    throw new DavError(400, undefined, { message: 'nresults must be 1 or more' });
  return count;
}
