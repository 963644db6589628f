import { hasQuirk } from './caldav-context.ts';
import type { Mailbox, StoredObject } from './caldav-state.ts';
import { type CalendarResource, type DavCall, hrefOf, hrefsOf, type Resource } from './resources.ts';
import { ctagOf, etagOf, scheduleTagOf, syncTokenOf } from './tags.ts';
import { APPLE, CALDAV, CALENDAR_SERVER, clark, DAV, nameOf, type QName } from './wire/names.ts';
import { davTag, escapeXml, propResponse, tag } from './wire/print-xml.ts';

type Properties = Readonly<Record<string, () => string>>;

const inDav = (local: string): string => clark({ uri: DAV, local });
const inCalDav = (local: string): string => clark({ uri: CALDAV, local });
const caldavTag = (local: string, content = '', attributes = {}) => tag({ uri: CALDAV, local }, content, attributes);
const hrefTag = (href: string): string => davTag('href', escapeXml(href));

export const MAX_OBJECT_BYTES = 1_048_576;

/** Properties that the server computes: PROPPATCH and MKCALENDAR cannot set them. */
export const PROTECTED: ReadonlySet<string> = new Set([
  ...['resourcetype', 'getetag', 'getcontenttype', 'getcontentlength', 'getlastmodified', 'sync-token', 'owner'].map(
    inDav,
  ),
  ...['current-user-principal', 'current-user-privilege-set', 'supported-report-set', 'principal-URL'].map(inDav),
  ...['calendar-home-set', 'calendar-user-address-set', 'schedule-inbox-URL', 'schedule-outbox-URL'].map(inCalDav),
  ...['supported-calendar-component-set', 'supported-calendar-data', 'max-resource-size', 'schedule-tag'].map(inCalDav),
  ...['schedule-default-calendar-URL'].map(inCalDav),
  clark({ uri: CALENDAR_SERVER, local: 'getctag' }),
]);

/** Properties that answers to `allprop` leave out (RFC 4791 §5.2). */
const isLeftOutOfAll = (key: string): boolean => nameOf(key).uri === CALDAV || key === inDav('sync-token');

/** Returns the properties of a resource, each computed when it is printed. */
function propertiesOf(call: DavCall, resource: Resource): Properties {
  const { base, caller } = call;
  const hrefs = hrefsOf(base, caller);
  const common = {
    [inDav('current-user-principal')]: () => hrefTag(hrefs.principal),
    [inDav('owner')]: () => hrefTag(hrefsOf(base, { email: ownerOf(call, resource) }).principal),
    [inDav('current-user-privilege-set')]: () => privileges(resource),
  };
  const collection = { ...common, [inDav('resourcetype')]: () => davTag('collection') };
  switch (resource.kind) {
    case 'root':
    case 'home':
      return collection;
    case 'principal':
      return { ...common, ...principalProperties(call, resource.person) };
    case 'inbox':
      return {
        ...common,
        [inDav('resourcetype')]: () => davTag('collection') + caldavTag('schedule-inbox'),
        [inCalDav('schedule-default-calendar-URL')]: () => hrefTag(hrefs.calendar(caller.defaultCalendar)),
      };
    case 'outbox':
      return { ...common, [inDav('resourcetype')]: () => davTag('collection') + caldavTag('schedule-outbox') };
    case 'calendar':
      return { ...common, ...calendarProperties(call, resource) };
    case 'object':
      return resource.object === undefined ? {} : { ...common, ...objectProperties(resource.object) };
    case 'free':
      return {};
  }
}

function principalProperties({ context, base }: DavCall, { email, name }: Mailbox): Properties {
  const hrefs = hrefsOf(base, { email });
  return {
    [inDav('resourcetype')]: () => davTag('principal') + davTag('collection'),
    [inDav('displayname')]: () => escapeXml(name),
    [inDav('principal-URL')]: () => hrefTag(hrefs.principal),
    [inCalDav('calendar-home-set')]: () => hrefTag(hrefs.home),
    ...(hasQuirk(context, 'noScheduling')
      ? {}
      : {
          [inCalDav('calendar-user-address-set')]: () => hrefTag(`mailto:${email}`) + hrefTag(hrefs.principal),
          [inCalDav('schedule-inbox-URL')]: () => hrefTag(hrefs.inbox),
          [inCalDav('schedule-outbox-URL')]: () => hrefTag(hrefs.outbox),
        }),
  };
}

/** Returns the e-mail of a resource's owner; a shared calendar and its objects are another person's. */
function ownerOf({ caller }: DavCall, resource: Resource): string {
  if (resource.kind === 'object') return resource.parent.calendar.owner;
  if (resource.kind === 'principal') return resource.person.email;
  return resource.kind === 'calendar' ? resource.calendar.owner : caller.email;
}

function calendarProperties({ context }: DavCall, { calendar }: CalendarResource): Properties {
  const kept = Object.entries(calendar.props).map(([key, content]) => [key, () => content] as const);
  const reports = ['calendar-multiget', 'calendar-query'].map((local) => caldavTag(local));
  const withSync = hasQuirk(context, 'noSyncCollection') ? reports : [...reports, davTag('sync-collection')];
  const hides = hasQuirk(context, 'propfindTokenLosesChanges');
  return {
    ...Object.fromEntries(kept),
    [inDav('resourcetype')]: () => davTag('collection') + caldavTag('calendar'),
    [inDav('supported-report-set')]: () =>
      withSync.map((report) => davTag('supported-report', davTag('report', report))).join(''),
    [inCalDav('supported-calendar-component-set')]: () => caldavTag('comp', '', { name: 'VEVENT' }),
    [inCalDav('supported-calendar-data')]: () =>
      caldavTag('calendar-data', '', { 'content-type': 'text/calendar', version: '2.0' }),
    [inCalDav('max-resource-size')]: () => String(MAX_OBJECT_BYTES),
    [clark({ uri: CALENDAR_SERVER, local: 'getctag' })]: () => ctagOf(calendar),
    ...(hasQuirk(context, 'noSyncCollection')
      ? {}
      : {
          [inDav('sync-token')]: () =>
            syncTokenOf(calendar, {
              revision: calendar.revision,
              after: hides ? context.kernel.clock.now() : undefined,
            }),
        }),
  };
}

function objectProperties(object: StoredObject): Properties {
  const scheduleTag = scheduleTagOf(object);
  return {
    [inDav('resourcetype')]: () => '',
    [inDav('getetag')]: () => escapeXml(etagOf(object)),
    [inDav('getcontenttype')]: () => 'text/calendar; charset=utf-8; component=VEVENT',
    [inDav('getcontentlength')]: () => String(Buffer.byteLength(object.data)),
    [inDav('getlastmodified')]: () => new Date(object.modifiedAt).toUTCString(),
    ...(scheduleTag === undefined ? {} : { [inCalDav('schedule-tag')]: () => escapeXml(scheduleTag) }),
  };
}

function privileges(resource: Resource): string {
  const parent = resource.kind === 'object' ? resource.parent : resource;
  const canWrite = parent.kind === 'calendar' ? parent.role !== 'reader' : parent.kind === 'home';
  const all = ['write', 'write-properties', 'write-content', 'bind', 'unbind'];
  const given = ['read', 'read-current-user-privilege-set', ...(canWrite ? all : [])];
  return given.map((local) => davTag('privilege', davTag(local))).join('');
}

/** The wish of a request: properties by name, all of them, or their names alone. */
export type PropWish = { readonly names: readonly QName[] } | 'all' | 'names';

/**
 * Prints the response of a resource. `more` has properties that only some reports know, by Clark name; they come only where they are
 * asked for.
 */
export function describe(call: DavCall, resource: Resource, wish: PropWish, more: Properties = {}): string {
  const known = propertiesOf(call, resource);
  const href = hrefOf(call, resource);
  if (wish === 'all' || wish === 'names') {
    const keys = Object.keys(known).filter((key) => wish === 'names' || !isLeftOutOfAll(key));
    const contents = keys.map((key) => tag(nameOf(key), wish === 'names' ? '' : known[key]?.()));
    return propResponse(href, contents, []);
  }
  const found: string[] = [];
  const missing: QName[] = [];
  for (const name of wish.names) {
    const key = clark(name);
    const read = Object.hasOwn(known, key) ? known[key] : Object.hasOwn(more, key) ? more[key] : undefined;
    if (read === undefined) missing.push(name);
    else found.push(tag(name, read()));
  }
  return propResponse(href, found, missing);
}

/** Keys of the properties that a calendar of its own begins with. */
export const KEYS = {
  name: inDav('displayname'),
  description: inCalDav('calendar-description'),
  timeZone: inCalDav('calendar-timezone'),
  color: clark({ uri: APPLE, local: 'calendar-color' }),
  data: inCalDav('calendar-data'),
};
