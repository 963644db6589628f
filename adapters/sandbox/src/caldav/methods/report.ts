import { hasQuirk } from '../caldav-context.ts';
import { type CalendarResource, type DavCall, findHref, type ObjectResource, type Resource } from '../resources.ts';
import { DavError } from '../wire/dav-error.ts';
import { CALDAV, clark, DAV } from '../wire/names.ts';
import { multistatus, statusResponse } from '../wire/print-xml.ts';
import { readXml, type XmlElement } from '../wire/read-xml.ts';
import { matchesFilter } from './calendar-filter.ts';
import { describeObject, wishOf } from './describe-object.ts';
import { syncCollection } from './sync-collection.ts';

/** Answers REPORT of a calendar: multiget, query and sync-collection. */
export function report(call: DavCall, resource: Resource): Response {
  if (resource.kind === 'free' || (resource.kind === 'object' && resource.object === undefined))
    throw new DavError(404);
  const root = readXml(call.body);
  if (resource.kind !== 'calendar') throw new DavError(403, 'supported-report');
  switch (clark(root)) {
    case clark({ uri: CALDAV, local: 'calendar-multiget' }):
      return multiget(call, resource, root);
    case clark({ uri: CALDAV, local: 'calendar-query' }):
      return query(call, resource, root);
    case clark({ uri: DAV, local: 'sync-collection' }):
      if (hasQuirk(call.context, 'noSyncCollection')) throw new DavError(403, 'supported-report');
      return syncCollection(call, resource, root);
    default:
      throw new DavError(403, 'supported-report');
  }
}

function multiget(call: DavCall, calendar: CalendarResource, root: XmlElement): Response {
  const wish = wishOf(root);
  const hrefs = root.children
    .filter(({ uri, local }) => uri === DAV && local === 'href')
    .map(({ text }) => text.trim());
  const omitted = hasQuirk(call.context, 'omitsListedHref') && hrefs.length > 1 ? hrefs[0] : undefined;
  return multistatus(
    hrefs
      .filter((href) => href !== omitted)
      .flatMap((href) => {
        const found = objectIn(call, calendar, href);
        if (found !== undefined) return [describeObject(call, found, wish)];
        return hasQuirk(call.context, 'omitsMissingHrefs') ? [] : [statusResponse(href, 404)];
      }),
  );
}

function objectIn(call: DavCall, calendar: CalendarResource, href: string): ObjectResource | undefined {
  try {
    const found = findHref(call, href);
    const isInside = found.kind === 'object' && found.parent.slug === calendar.slug && found.object !== undefined;
    return isInside ? found : undefined;
  } catch (error) {
    if (error instanceof DavError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function query(call: DavCall, parent: CalendarResource, root: XmlElement): Response {
  const wish = wishOf(root);
  const filter = root.children.find(({ uri, local }) => uri === CALDAV && local === 'filter');
  if (filter === undefined) throw new DavError(403, 'valid-filter');
  // Depth 0, the default, is the calendar alone, which no filter matches.
  const isDeep = call.request.headers.get('depth') === '1';
  const objects = isDeep ? Object.values(parent.calendar.objects) : [];
  return multistatus(
    objects
      .filter((object) => matchesFilter(object, filter))
      .map((object) => describeObject(call, { kind: 'object', parent, name: object.name, object }, wish)),
  );
}
