export const DAV = 'DAV:';
export const CALDAV = 'urn:ietf:params:xml:ns:caldav';
export const CALENDAR_SERVER = 'http://calendarserver.org/ns/';
export const APPLE = 'http://apple.com/ns/ical/';

/** An XML name with its namespace. */
export interface QName {
  readonly uri: string;
  readonly local: string;
}

/** Returns `{namespace}local`, the key of a property. */
export const clark = ({ uri, local }: QName): string => `{${uri}}${local}`;

/** Returns the name of a key that `clark` made. */
export function nameOf(key: string): QName {
  const end = key.indexOf('}');
  return { uri: key.slice(1, end), local: key.slice(end + 1) };
}
