import { asSecure, isSameSite } from '@kalends/provider-transport';
import { ProviderError, type ProviderSession } from 'kalends/ports';
import type { DavClient, Listing } from '../protocol/dav-client.ts';
import { caldavName, dav, type Name } from '../protocol/names.ts';
import { asCollection, pathOf } from '../protocol/paths.ts';
import { childText, type XmlElement } from '../protocol/read-xml.ts';

const PRINCIPAL = dav('current-user-principal');
const HOME = caldavName('calendar-home-set');
const ADDRESSES = caldavName('calendar-user-address-set');
const WANTED = [PRINCIPAL, HOME, ADDRESSES, dav('resourcetype')];

/** An account as discovery finds it. Addresses are absolute. */
export interface DiscoveredAccount {
  /** The person, as the principal's own server knows the credentials. */
  readonly principalUrl: string;
  /** The collection of the account's calendars: the first one that the principal names. */
  readonly homeUrl: string;
  /** Number of collections that the principal names. */
  readonly homes: number;
  /** E-mail addresses of invitations, without `mailto:`, the preferred one first. */
  readonly emails: readonly string[];
  /** Its other addresses: absolute URIs, such as `urn:uuid:…` or that of a principal. */
  readonly uris: readonly string[];
}

/** Answers of a server that mean: not here. Others end discovery. */
const ELSEWHERE = new Set(['not-found', 'malformed', 'invalid', 'conflict', 'unavailable', 'forbidden']);

/**
 * Finds the account's principal and calendars from any address of a server (RFC 6764, RFC 5397, RFC 4791 §6.2.1).
 * @throws ProviderError invalid-grant, malformed for a server that is none of CalDAV, or that of the last answer
 */
export async function discover(client: DavClient, session: ProviderSession, start: string): Promise<DiscoveredAccount> {
  const failures: ProviderError[] = [];
  for (const url of startingPoints(new URL(start))) {
    try {
      const listing = await client.propfind(session, url, '0', WANTED);
      const found = await followPrincipal(client, session, listing);
      if (found !== undefined) return found;
    } catch (error) {
      if (!ProviderError.isInstance(error) || !ELSEWHERE.has(error.reason)) throw error;
      failures.push(error);
    }
  }
  const [failure] = failures;
  // A server that is down anywhere may have its calendars there.
  const telling = failures.find(isRefusedAddress) ?? failures.find(({ reason }) => reason === 'unavailable');
  if (telling !== undefined) throw telling;
  throw new ProviderError('malformed', 'the server answers, but not as a CalDAV server', {
    field: 'serverUrl',
    ...(failure === undefined ? {} : { cause: failure }),
  });
}

/** The guard, and rules of where credentials may go, refuse before anything is sent, so that there is no status. */
const isRefusedAddress = ({ reason, status }: ProviderError): boolean => reason === 'forbidden' && status === undefined;

/** Returns every address of the person whose calendars are at `home`; none where the server names no principal there. */
export async function readAddresses(
  client: DavClient,
  session: ProviderSession,
  home: string,
): Promise<readonly string[]> {
  const found = await followPrincipal(client, session, await client.propfind(session, home, '0', WANTED));
  return found === undefined ? [] : [...found.emails, ...found.uris];
}

/** The address itself comes first when it names more than a host. */
function startingPoints(start: URL): readonly string[] {
  const wellKnown = new URL('/.well-known/caldav', start).href;
  const root = new URL('/', start).href;
  return start.pathname === '/' ? [wellKnown, root] : [start.href, wellKnown, root];
}

/**
 * Reads the principal that an answer names. Any host may name any principal, and many servers let every person read those of others: whose
 * the credentials are is what the principal's own server says, of which one further principal is followed.
 * @throws ProviderError forbidden for a principal whose server does not say that the credentials are for it
 */
async function followPrincipal(
  client: DavClient,
  session: ProviderSession,
  listing: Listing,
  further = 1,
): Promise<DiscoveredAccount | undefined> {
  const principalUrl = principalIn(listing);
  if (principalUrl === undefined) return undefined;
  const own = await client.propfind(session, principalUrl, '0', [PRINCIPAL, HOME, ADDRESSES]);
  // A principal that does not say it is believed by the word of its own origin.
  const proven = principalIn(own) ?? (isOneOrigin(listing.url, principalUrl) ? principalUrl : undefined);
  if (proven === undefined || !isOneAddress(proven, principalUrl)) {
    if (proven !== undefined && further > 0) return followPrincipal(client, session, own, further - 1);
    const { host } = new URL(principalUrl);
    throw new ProviderError(
      'forbidden',
      `${host} does not say that the credentials are for the principal that is named`,
      {
        field: 'serverUrl',
      },
    );
  }
  const [home, ...otherHomes] = hrefsIn(own, HOME);
  if (home === undefined) return undefined;
  return {
    principalUrl,
    homeUrl: asCollection(resolve(home, own.url)),
    homes: 1 + otherHomes.length,
    ...addressesIn(own),
  };
}

/** Returns the address of the person whom the server takes the request for. @throws ProviderError invalid-grant for no person */
function principalIn(listing: Listing): string | undefined {
  const principal = listing.responses[0]?.props.get(PRINCIPAL);
  if (principal?.children.some(({ name }) => name === dav('unauthenticated')) === true) {
    throw new ProviderError('invalid-grant', 'the server takes the request for that of no person', { status: 401 });
  }
  const href = childText(principal, dav('href'));
  return href === undefined ? undefined : resolve(href, listing.url);
}

const isOneOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin;

/** Whether two addresses differ in their spelling alone: in escapes, and in the slash at the end. */
function isOneAddress(one: string, other: string): boolean {
  const [left, right] = [new URL(one), new URL(other)];
  const [path, otherPath] = [pathOf(one, right), pathOf(other, right)];
  if (path === undefined || otherPath === undefined) return false;
  return asCollection(path) === asCollection(otherPath) && left.search === right.search;
}

/** Returns the addresses that a property names. */
function hrefsIn({ responses }: Listing, property: Name): readonly string[] {
  return hrefElements(responses[0]?.props.get(property)).map(({ text }) => text.trim());
}

const hrefElements = (element: XmlElement | undefined): readonly XmlElement[] =>
  (element?.children ?? []).filter(({ name }) => name === dav('href'));

/** Resolves an address that the server names. @throws ProviderError forbidden when credentials must not go there */
function resolve(href: string, base: string): string {
  if (!URL.canParse(href, base)) throw new ProviderError('malformed', 'the server names an address that is none');
  const [from, to] = [new URL(base), asSecure(new URL(base), new URL(href, base))];
  if (isSameSite(from, to)) return to.href;
  const rule = `the server says that the calendars are at another site, ${to.protocol}//${to.host}; name that one`;
  throw new ProviderError('forbidden', rule, { field: 'serverUrl' });
}

function addressesIn({ responses, url }: Listing): Pick<DiscoveredAccount, 'emails' | 'uris'> {
  const hrefs = hrefElements(responses[0]?.props.get(ADDRESSES));
  const preferred = [...hrefs].sort((a, b) => preferenceOf(b) - preferenceOf(a)).map(({ text }) => text.trim());
  return {
    emails: preferred
      .filter((address) => /^mailto:[^@\s]+@[^@\s]+$/i.test(address))
      .map((address) => decodedAddress(address.slice('mailto:'.length))),
    uris: preferred
      .filter((address) => !/^mailto:/i.test(address) && URL.canParse(address, url))
      .map((address) => decodedAddress(new URL(address, url).href)),
  };
}

/** An attribute of Apple's servers. */
const preferenceOf = ({ attributes }: { readonly attributes: Readonly<Record<string, string>> }): number =>
  Number(attributes['preferred'] ?? 0) || 0;

function decodedAddress(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
