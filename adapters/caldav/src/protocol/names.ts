/** XML namespaces of CalDAV and of what servers add to it. */
export const DAV = 'DAV:';
export const CALDAV = 'urn:ietf:params:xml:ns:caldav';
export const CALENDAR_SERVER = 'http://calendarserver.org/ns/';
export const APPLE = 'http://apple.com/ns/ical/';

/** Expanded name of an element, in Clark's notation: `{DAV:}displayname`. */
export type Name = `{${string}}${string}`;

const nameOf = (uri: string, local: string): Name => `{${uri}}${local}`;

export const dav = (local: string): Name => nameOf(DAV, local);
export const caldavName = (local: string): Name => nameOf(CALDAV, local);
export const calendarServer = (local: string): Name => nameOf(CALENDAR_SERVER, local);
export const apple = (local: string): Name => nameOf(APPLE, local);

/** Returns the parts of a name. */
export function splitName(name: Name): { readonly uri: string; readonly local: string } {
  const end = name.indexOf('}');
  return { uri: name.slice(1, end), local: name.slice(end + 1) };
}
