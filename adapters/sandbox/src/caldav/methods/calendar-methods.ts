import { type CalDavContext, nextRevision } from '../caldav-context.ts';
import type { Mailbox, StoredCalendar } from '../caldav-state.ts';
import { PROTECTED } from '../properties.ts';
import { type CalendarResource, type DavCall, hrefOf, type Resource, requireWrite } from '../resources.ts';
import { DavError } from '../wire/dav-error.ts';
import { CALDAV, clark, DAV } from '../wire/names.ts';
import { davTag, escapeXml, multistatus, statusTag, tag } from '../wire/print-xml.ts';
import { childOf, printElement, readXml, type XmlElement } from '../wire/read-xml.ts';

const COMPONENTS = clark({ uri: CALDAV, local: 'supported-calendar-component-set' });

/** Answers MKCALENDAR (RFC 4791 §5.3.1). */
export function mkcalendar(call: DavCall, resource: Resource): Response {
  if (resource.kind === 'calendar') throw new DavError(403, 'resource-must-be-null');
  if (resource.kind !== 'free') throw new DavError(403, 'calendar-collection-location-ok');
  const settings = call.body.trim() === '' ? [] : settingsOf(readXml(call.body), 'set');
  const components = settings.find((property) => clark(property) === COMPONENTS);
  const names = components?.children.map(({ attributes }) => attributes['name']?.toUpperCase());
  if (names !== undefined && !names.includes('VEVENT')) throw new DavError(403, 'supported-calendar-component');
  const set = settings.filter((property) => property !== components);
  const refused = set.find((property) => PROTECTED.has(clark(property)));
  if (refused !== undefined) throw new DavError(403, 'cannot-modify-protected-property');
  const calendar = addCalendar(call.context, call.caller, resource.slug);
  for (const property of set) calendar.props[clark(property)] = contentOf(property);
  return new Response(null, { status: 201, headers: { 'cache-control': 'no-cache' } });
}

/** Adds an empty calendar to a mailbox. */
export function addCalendar(context: CalDavContext, mailbox: Mailbox, slug: string): StoredCalendar {
  const id = context.kernel.randomText(12);
  const revision = nextRevision(context);
  const calendar: StoredCalendar = {
    id,
    owner: mailbox.email,
    revision,
    oldestToken: revision,
    props: {},
    objects: {},
    tombstones: {},
  };
  context.state.calendars[id] = calendar;
  mailbox.links[slug] = { calendarId: id, role: 'owner' };
  return calendar;
}

/** Answers PROPPATCH of a calendar: all of it, or nothing (RFC 4918 §9.2). */
export function proppatch(call: DavCall, resource: Resource): Response {
  if (resource.kind !== 'calendar') throw new DavError(403, 'need-privileges');
  requireWrite(resource);
  const root = readXml(call.body);
  const set = settingsOf(root, 'set');
  const removed = settingsOf(root, 'remove');
  const isRefused = (property: XmlElement): boolean => PROTECTED.has(clark(property));
  const all = [...set, ...removed];
  const refused = all.filter(isRefused);
  if (refused.length === 0) apply(call.context, resource.calendar, set, removed);
  const failed = davTag('error', davTag('cannot-modify-protected-property'));
  const stats =
    refused.length === 0
      ? propstat(all, 200)
      : propstat(refused, 403, failed) +
        propstat(
          all.filter((property) => !isRefused(property)),
          424,
        );
  return multistatus([davTag('response', davTag('href', escapeXml(hrefOf(call, resource))) + stats)]);
}

const propstat = (properties: readonly XmlElement[], status: number, error = ''): string =>
  properties.length === 0
    ? ''
    : davTag(
        'propstat',
        davTag('prop', properties.map((property) => tag(property)).join('')) + statusTag(status) + error,
      );

function apply(
  context: CalDavContext,
  calendar: StoredCalendar,
  set: readonly XmlElement[],
  removed: readonly XmlElement[],
): void {
  for (const property of set) calendar.props[clark(property)] = contentOf(property);
  for (const property of removed) delete calendar.props[clark(property)];
  context.kernel.touched();
}

function settingsOf(root: XmlElement, verb: 'set' | 'remove'): readonly XmlElement[] {
  return root.children
    .filter(({ uri, local }) => uri === DAV && local === verb)
    .flatMap((change) => childOf(change, { uri: DAV, local: 'prop' })?.children ?? []);
}

const contentOf = (property: XmlElement): string =>
  escapeXml(property.text) + property.children.map(printElement).join('');

/** Deletes a calendar, or ends a share. @throws DavError 403 for the one that takes invitations (RFC 6638 §9.2) */
export function deleteCalendar({ context, caller }: DavCall, { slug, role, calendar }: CalendarResource): Response {
  if (slug === caller.defaultCalendar) throw new DavError(403, 'default-calendar-needed');
  delete caller.links[slug];
  if (role === 'owner') removeCalendar(context, calendar);
  context.kernel.touched();
  return new Response(null, { status: 204 });
}

function removeCalendar(context: CalDavContext, calendar: StoredCalendar): void {
  delete context.state.calendars[calendar.id];
  for (const mailbox of Object.values(context.state.mailboxes)) {
    for (const [slug, link] of Object.entries(mailbox.links)) {
      if (link.calendarId === calendar.id) delete mailbox.links[slug];
    }
  }
}
