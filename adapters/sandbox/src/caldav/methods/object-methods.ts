import { type CalDavContext, findMailbox, hasQuirk, ownCalendars } from '../caldav-context.ts';
import type { StoredObject } from '../caldav-state.ts';
import { type CalendarObject, isScheduled, readObject } from '../objects/calendar-object.ts';
import { objectOfUid, removeObject, servedData, storeObject } from '../objects/object-store.ts';
import { type DavCall, hrefOf, type ObjectResource, requireWrite } from '../resources.ts';
import { afterDelete, prepareWrite } from '../scheduling/scheduling.ts';
import { etagOf, headerEtag, scheduleTagOf } from '../tags.ts';
import { DavError } from '../wire/dav-error.ts';

/** Answers GET and HEAD. */
export function getObject({ context, request }: DavCall, { object }: ObjectResource): Response {
  if (object === undefined) throw new DavError(404);
  const scheduleTag = scheduleTagOf(object);
  const headers = {
    etag: headerEtag(context, object),
    'last-modified': new Date(object.modifiedAt).toUTCString(),
    ...(scheduleTag === undefined ? {} : { 'schedule-tag': scheduleTag }),
  };
  const known = request.headers.get('if-none-match');
  if (known !== null && tagsOf(known).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etagOf(object))) {
    return new Response(null, { status: 304, headers });
  }
  const body = request.method === 'HEAD' ? null : servedData(object);
  return new Response(body, { headers: { ...headers, 'content-type': 'text/calendar; charset=utf-8' } });
}

/** Answers PUT: checks, writes, and delivers to the mailboxes that take part (RFC 4791 §5.3.2, RFC 6638 §3.2). */
export function putObject(call: DavCall, resource: ObjectResource): Response {
  const { context, request } = call;
  const { parent, name, object } = resource;
  requireWrite(parent);
  checkPreconditions(context, request, object);
  const type = (request.headers.get('content-type') ?? 'text/calendar').split(';')[0]?.trim().toLowerCase();
  if (type !== 'text/calendar') throw new DavError(403, 'supported-calendar-data');
  const read = readObject(call.body);
  checkUid(call, resource, read);
  const prepared = hasQuirk(context, 'noScheduling')
    ? undefined
    : prepareWrite(context, parent.calendar, { former: object, next: read });
  const stored = storeObject(context, parent.calendar, { name, data: prepared?.data ?? call.body });
  prepared?.deliver();
  const scheduleTag = scheduleTagOf(stored);
  // A tag in the answer promises that the body is stored as it was sent (RFC 4791 §5.3.4).
  const tags = {
    ...(stored.data === call.body ? { etag: headerEtag(context, stored) } : {}),
    ...(scheduleTag === undefined ? {} : { 'schedule-tag': scheduleTag }),
  };
  return new Response(null, { status: object === undefined ? 201 : 204, headers: tags });
}

/** Answers DELETE of an object. */
export function deleteObject(call: DavCall, { parent, name, object }: ObjectResource): Response {
  const { context, request } = call;
  requireWrite(parent);
  checkPreconditions(context, request, object);
  if (object === undefined) throw new DavError(404);
  removeObject(context, parent.calendar, name);
  const replies = request.headers.get('schedule-reply')?.toUpperCase() !== 'F';
  if (!hasQuirk(context, 'noScheduling')) afterDelete(context, parent.calendar, { former: object, replies });
  return new Response(null, { status: 204 });
}

const tagsOf = (header: string): readonly string[] => header.split(',').map((tag) => tag.trim());

/** A weak tag never matches in If-Match (RFC 9110 §13.1.1), unless it is the form that this server itself shows. */
function checkPreconditions(context: CalDavContext, request: Request, object: StoredObject | undefined): void {
  const ifMatch = request.headers.get('if-match');
  const strong = (tag: string): string => (hasQuirk(context, 'weakEtags') ? tag.replace(/^W\//, '') : tag);
  const matches = (header: string): boolean =>
    object !== undefined && tagsOf(header).some((tag) => tag === '*' || strong(tag) === etagOf(object));
  if (ifMatch !== null && !matches(ifMatch)) throw new DavError(412);
  const ifNone = request.headers.get('if-none-match');
  if (ifNone !== null && !hasQuirk(context, 'ignoresIfNoneMatch') && matches(ifNone)) throw new DavError(412);
  const ifSchedule = request.headers.get('if-schedule-tag-match');
  if (ifSchedule === null) return;
  const present = object === undefined ? undefined : scheduleTagOf(object);
  if (ifSchedule === '*' ? object === undefined : present !== ifSchedule) throw new DavError(412);
}

/** One UID has one resource in a calendar, and, with attendees, one in all calendars of its owner. */
function checkUid(call: DavCall, { parent, name, object }: ObjectResource, read: CalendarObject): void {
  const { context } = call;
  const refuse = (condition: string, slug: string, taken: StoredObject): never => {
    const place = { ...parent, slug };
    throw new DavError(403, condition, {
      href: hrefOf(call, { kind: 'object', parent: place, name: taken.name, object: taken }),
    });
  };
  if (object !== undefined && object.uid !== read.uid) refuse('no-uid-conflict', parent.slug, object);
  const other = objectOfUid(parent.calendar, read.uid);
  if (other !== undefined && other.name !== name) refuse('no-uid-conflict', parent.slug, other);
  const owner = findMailbox(context, parent.calendar.owner);
  if (owner === undefined || !isScheduled(read) || hasQuirk(context, 'noScheduling')) return;
  for (const { slug, calendar } of ownCalendars(context, owner)) {
    const taken = calendar === parent.calendar ? undefined : objectOfUid(calendar, read.uid);
    if (taken !== undefined) refuse('unique-scheduling-object-resource', slug, taken);
  }
}
