/** Path segments that belong to the interfaces of the providers; every other segment is an id. */
const SEGMENTS = new Set(
  `accept acl calendar calendarList calendars calendarView cancel certs channels clear colors decline delta events exceptionOccurrences
  extensions freeBusy getSchedule import instances lists mailboxSettings masterCategories me move outlook primary revoke settings stop
  subscriptions supportedTimeZones tentativelyAccept timeZone token userinfo users watch $batch`.split(/\s+/),
);

/** Everything above the resources: the root of a sandbox, and the version. */
const ROOT = /^.*?\/(?:calendar\/v3|v1\.0)\//;
/** Token endpoints, whose paths differ between a provider and its stand-in. */
const TOKEN = /^.*\/token$/;

/** Splits the path of a provider's URL into decoded segments below the interface's root. */
export function pathOf(url: URL): readonly string[] {
  const path = TOKEN.test(url.pathname) ? '/token' : url.pathname.replace(ROOT, '/');
  return path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeURIComponent);
}

export function isResource(segment: string): boolean {
  return SEGMENTS.has(segment);
}

/** Returns the method and path pattern of a request. */
export function operationOf(method: string, path: readonly string[]): string {
  return `${method} /${path.map((segment) => (isResource(segment) ? segment : '{id}')).join('/')}`;
}
