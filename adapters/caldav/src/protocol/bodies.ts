import { APPLE, CALDAV, CALENDAR_SERVER, DAV, type Name, splitName } from './names.ts';

const PREFIXES: Readonly<Record<string, string>> = { [DAV]: 'D', [CALDAV]: 'C', [CALENDAR_SERVER]: 'S', [APPLE]: 'A' };
const DECLARED = Object.entries(PREFIXES)
  .map(([uri, prefix]) => ` xmlns:${prefix}="${uri}"`)
  .join('');

/** Escapes text for an element or an attribute. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;');
}

function tagOf(name: Name): string {
  const { uri, local } = splitName(name);
  return `${PREFIXES[uri]}:${local}`;
}

const empty = (name: Name): string => `<${tagOf(name)}/>`;
const prop = (names: readonly Name[]): string => `<D:prop>${names.map(empty).join('')}</D:prop>`;
const hrefsOf = (hrefs: readonly string[]): string =>
  hrefs.map((href) => `<D:href>${escapeXml(href)}</D:href>`).join('');

function document(root: string, content: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n<${root}${DECLARED}>${content}</${root}>`;
}

/** Returns the body of a PROPFIND for these properties (RFC 4918 §14.20). */
export function propfindBody(names: readonly Name[]): string {
  return document('D:propfind', prop(names));
}

/** A property to set: text, or the names of components of `supported-calendar-component-set`. */
export type PropValue = string | { readonly components: readonly string[] };

function setting([name, value]: readonly [Name, PropValue]): string {
  const content =
    typeof value === 'string'
      ? escapeXml(value)
      : value.components.map((component) => `<C:comp name="${escapeXml(component)}"/>`).join('');
  return `<${tagOf(name)}>${content}</${tagOf(name)}>`;
}

const setBody = (values: readonly (readonly [Name, PropValue])[]): string =>
  values.length === 0 ? '' : `<D:set><D:prop>${values.map(setting).join('')}</D:prop></D:set>`;

/** Returns the body of a PROPPATCH (RFC 4918 §14.19). */
export function proppatchBody(values: readonly (readonly [Name, PropValue])[], removed: readonly Name[]): string {
  const removal = removed.length === 0 ? '' : `<D:remove>${prop(removed)}</D:remove>`;
  return document('D:propertyupdate', `${setBody(values)}${removal}`);
}

/** Returns the body of a MKCALENDAR (RFC 4791 §9.2). */
export function mkcalendarBody(values: readonly (readonly [Name, PropValue])[]): string {
  return document('C:mkcalendar', setBody(values));
}

/** Returns the body of a sync-collection; without a token it lists everything (RFC 6578 §6.1). */
export function syncBody(token: string | null, names: readonly Name[]): string {
  const content = `<D:sync-token>${escapeXml(token ?? '')}</D:sync-token><D:sync-level>1</D:sync-level>${prop(names)}`;
  return document('D:sync-collection', content);
}

const EVENTS = '<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"/></C:comp-filter></C:filter>';

/** Returns the body of a calendar-query for all objects with events (RFC 4791 §9.5). */
export function eventQueryBody(names: readonly Name[]): string {
  return document('C:calendar-query', `${prop(names)}${EVENTS}`);
}

/** Returns the body of a calendar-multiget (RFC 4791 §9.10). */
export function multigetBody(hrefs: readonly string[], names: readonly Name[]): string {
  return document('C:calendar-multiget', `${prop(names)}${hrefsOf(hrefs)}`);
}
