/** Path of the dashboard itself, without a slash at its end. */
export const BASE = new URL('.', document.baseURI).pathname.replace(/\/$/, '');

/** Pages of an application. */
const PAGE_NAMES = [
  'overview',
  'accounts',
  'calendar',
  'availability',
  'webhooks',
  'keys',
  'settings',
  'audit',
  'sandbox',
] as const;
export type PageName = (typeof PAGE_NAMES)[number];

export const applicationsLink = (): string => `${BASE}/applications`;

/** Returns the address of an application's page, or of one object's details on it. */
export function pageLink(applicationId: string, page: PageName, objectId?: string): string {
  const path = `${BASE}/${encodeURIComponent(applicationId)}/${page}`;
  return objectId === undefined ? path : `${path}/${encodeURIComponent(objectId)}`;
}

/** Returns the page that a path is of; undefined for one that is of no application. */
export function pageOf(path: string): PageName | undefined {
  const [, name] = path.slice(BASE.length + 1).split('/');
  return PAGE_NAMES.find((page) => page === name);
}
