import { hasQuirk } from '../caldav-context.ts';
import { describe, type PropWish } from '../properties.ts';
import { type CalendarResource, type DavCall, findResource, type Resource } from '../resources.ts';
import { DavError } from '../wire/dav-error.ts';
import { DAV } from '../wire/names.ts';
import { multistatus } from '../wire/print-xml.ts';
import { childOf, propNames, readXml } from '../wire/read-xml.ts';

/** Answers PROPFIND with Depth 0 or 1 (RFC 4918 §9.1). */
export function propfind(call: DavCall, resource: Resource): Response {
  const depth = call.request.headers.get('depth') ?? 'infinity';
  if (depth !== '0' && depth !== '1') throw new DavError(403, 'propfind-finite-depth');
  if (resource.kind === 'free' || (resource.kind === 'object' && resource.object === undefined))
    throw new DavError(404);
  const wish = wishOf(call.body);
  const resources = depth === '0' ? [resource] : [resource, ...membersOf(call, resource)];
  return multistatus(resources.map((each) => describe(call, each, wish)));
}

function wishOf(body: string): PropWish {
  if (body.trim() === '') return 'all';
  const root = readXml(body);
  if (root.uri !== DAV || root.local !== 'propfind') throw new DavError(400, undefined, { message: 'no DAV:propfind' });
  if (childOf(root, { uri: DAV, local: 'propname' }) !== undefined) return 'names';
  const names = propNames(root);
  return names === undefined ? 'all' : { names };
}

function membersOf(call: DavCall, resource: Resource): readonly Resource[] {
  if (resource.kind === 'calendar') return objectsOf(resource);
  if (resource.kind !== 'home') return [];
  const calendars = Object.keys(call.caller.links).map((slug) =>
    findResource(call, `/calendars/${encodeURIComponent(call.caller.email)}/${encodeURIComponent(slug)}/`),
  );
  const boxes: readonly Resource[] = hasQuirk(call.context, 'noScheduling')
    ? []
    : [{ kind: 'inbox' }, { kind: 'outbox' }];
  return [...calendars.filter(({ kind }) => kind === 'calendar'), ...boxes];
}

const objectsOf = (parent: CalendarResource): readonly Resource[] =>
  Object.values(parent.calendar.objects).map((object) => ({ kind: 'object', parent, name: object.name, object }));
