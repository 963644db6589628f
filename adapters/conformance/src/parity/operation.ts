/** Path segments that belong to the interfaces of the providers; every other segment is an id. */
const SEGMENTS = new Set(
  `accept acl attachments calendar calendarList calendars calendarView cancel certs channels clear colors decline delta events exceptionOccurrences
  extensions freeBusy getSchedule import instances keys lists mailboxSettings masterCategories me move outlook primary revoke settings stop
  subscriptions supportedTimeZones tentativelyAccept timeZone token userinfo users watch $batch`.split(/\s+/),
);

/** Everything above the resources: the root of a sandbox, and the version. */
const ROOT = /^.*?\/(?:calendar\/v3|v1\.0)\//;
/** Token endpoints, whose paths differ between a provider and its stand-in. */
const TOKEN = /^.*\/token$/;
/** Documents with the keys of id_tokens, likewise. */
const KEYS = /\/oauth2\/v3\/certs$|\/discovery\/v2\.0\/keys$/;

/** Returns everything of a URL above the resources. */
export function rootOf(url: URL): string {
  return url.origin + (ROOT.exec(url.pathname)?.[0] ?? '/');
}

/** Splits the path of a provider's URL into decoded segments below the interface's root. */
export function pathOf(url: URL): readonly string[] {
  return resourceOf(url.pathname)
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeURIComponent);
}

function resourceOf(path: string): string {
  if (TOKEN.test(path)) return '/token';
  return KEYS.test(path) ? '/keys' : path.replace(ROOT, '/');
}

export function isResource(segment: string): boolean {
  return SEGMENTS.has(segment);
}

/** Returns the method and path pattern of a request. */
export function operationOf(method: string, path: readonly string[]): string {
  return `${method} /${path.map((segment) => (isResource(segment) ? segment : '{id}')).join('/')}`;
}
