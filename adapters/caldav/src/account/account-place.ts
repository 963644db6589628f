import { ProviderError, type ProviderSession } from 'kalends/ports';
import { encodePath, pathOf } from '../protocol/paths.ts';

/** Where an account's calendars are. */
export interface AccountPlace {
  /** The collection of its calendars. */
  readonly home: URL;
  /** Returns the address of a path. */
  urlOf(path: string): string;
  /** Returns the path of an address that the server wrote; undefined for one at another origin. */
  pathOf(href: string): string | undefined;
}

/** Reads the place from the account's credentials, in which discovery has put it. @throws ProviderError invalid-grant */
export async function placeOf(session: ProviderSession): Promise<AccountPlace> {
  const credentials = await session.credentials?.();
  if (credentials === undefined || credentials.kind === 'url') {
    throw new ProviderError('invalid-grant', 'the account has no credentials for CalDAV');
  }
  const home = new URL(credentials.serverUrl);
  return {
    home,
    urlOf: (path) => new URL(encodePath(path), home.origin).href,
    pathOf: (href) => pathOf(href, home),
  };
}
