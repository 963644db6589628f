import {
  type AccountCredentials,
  type CredentialAuthorization,
  ProviderError,
  type ProviderSession,
} from 'kalends/ports';
import type { CaldavSettings } from '../options.ts';
import type { DavClient } from '../protocol/dav-client.ts';
import { type DiscoveredAccount, discover } from './discovery.ts';

/** Creates the sign-in by an app password or a bearer token: discovery, by real requests, is its proof. */
export function createAuthorization(settings: CaldavSettings, client: DavClient): CredentialAuthorization {
  const { serverUrl, vouches, logger } = settings;
  return {
    kind: 'credentials',
    kinds: ['password', 'bearer'],
    ...(serverUrl === undefined ? {} : { serverUrl }),
    async verify(credentials, signal) {
      if (credentials.kind === 'url') throw invalid('kind', 'must be password or bearer');
      const start = serverUrl ?? readServerUrl(credentials.serverUrl);
      const found = await discover(client, trialSession(credentials, start, signal), start);
      if (found.homes > 1) {
        const { host } = new URL(found.homeUrl);
        logger?.warn('only the first collection of calendars of a caldav account is read', {
          host,
          homes: found.homes,
        });
      }
      return {
        credentials: { ...credentials, serverUrl: found.homeUrl },
        identity: {
          providerAccountId: found.principalUrl,
          email: emailOf(credentials, found),
          isEmailVerified: vouches,
        },
      };
    },
  };
}

function invalid(field: string, rule: string): ProviderError {
  return new ProviderError('invalid', `${field} ${rule}`, { field });
}

/** Reads what a person types: an address with or without its scheme. @throws ProviderError invalid */
function readServerUrl(text: string): string {
  const typed = text.trim();
  const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!URL.canParse(withScheme)) throw invalid('serverUrl', 'must be the address of a server');
  const url = new URL(withScheme);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid('serverUrl', 'must begin with https://');
  if (url.username !== '' || url.password !== '') throw invalid('serverUrl', 'must not contain user-info');
  url.hash = '';
  url.search = '';
  return url.href;
}

/** A session before there is an account; its calls are paced by server. */
function trialSession(credentials: AccountCredentials, start: string, signal: AbortSignal): ProviderSession {
  return {
    accountId: `sign-in at ${new URL(start).host}`,
    email: '',
    accessToken: () => Promise.reject(new ProviderError('unauthorized', 'a CalDAV account has no access token')),
    credentials: async () => credentials,
    signal,
  };
}

/** The server's own word first; else the user name, under the server's host where it is no address itself. */
function emailOf(credentials: AccountCredentials, { emails, homeUrl, principalUrl }: DiscoveredAccount): string {
  const [first] = emails;
  if (first !== undefined) return first;
  const name = credentials.kind === 'password' ? credentials.username : lastOf(principalUrl);
  return /^[^@\s]+@[^@\s]+$/.test(name) ? name : `${encodeURIComponent(name)}@${new URL(homeUrl).hostname}`;
}

function lastOf(url: string): string {
  return (
    new URL(url).pathname
      .split('/')
      .filter((part) => part !== '')
      .at(-1) ?? 'account'
  );
}
