/** Path of the dashboard itself, without a slash at its end. */
export const BASE = new URL('.', document.baseURI).pathname.replace(/\/$/, '');

/** Pages of an application. */
export type PageName = 'overview' | 'accounts' | 'calendar' | 'webhooks' | 'keys' | 'settings' | 'audit' | 'sandbox';

export const applicationsLink = (): string => `${BASE}/applications`;

/** Returns the address of an application's page, or of one object's details on it. */
export function pageLink(applicationId: string, page: PageName, objectId?: string): string {
  const path = `${BASE}/${encodeURIComponent(applicationId)}/${page}`;
  return objectId === undefined ? path : `${path}/${encodeURIComponent(objectId)}`;
}
