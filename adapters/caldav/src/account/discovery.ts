import { isSameSite } from '@kalends/provider-transport';
import { ProviderError, type ProviderSession } from 'kalends/ports';
import type { DavClient, Listing } from '../protocol/dav-client.ts';
import { caldavName, dav } from '../protocol/names.ts';
import { asCollection } from '../protocol/paths.ts';
import { childText } from '../protocol/read-xml.ts';

const PRINCIPAL = dav('current-user-principal');
const HOME = caldavName('calendar-home-set');
const ADDRESSES = caldavName('calendar-user-address-set');
const WANTED = [PRINCIPAL, dav('principal-URL'), HOME, ADDRESSES, dav('resourcetype')];

/** An account as discovery finds it. Addresses are absolute. */
export interface DiscoveredAccount {
  readonly principalUrl: string;
  /** The collection of the account's calendars. */
  readonly homeUrl: string;
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
  let failure: ProviderError | undefined;
  for (const url of startingPoints(new URL(start))) {
    try {
      const listing = await client.propfind(session, url, '0', WANTED);
      const found = await followPrincipal(client, session, listing);
      if (found !== undefined) return found;
    } catch (error) {
      if (!ProviderError.isInstance(error) || !ELSEWHERE.has(error.reason) || error.field !== undefined) throw error;
      failure ??= error;
    }
  }
  const isSilent = failure?.reason === 'unavailable' && failure.status === undefined;
  if (failure !== undefined && (isSilent || isRefusedAddress(failure))) throw failure;
  throw new ProviderError('malformed', 'the server answers, but not as a CalDAV server', {
    field: 'serverUrl',
    ...(failure === undefined ? {} : { cause: failure }),
  });
}

/** The guard refuses before anything is sent, so that there is no status. */
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

async function followPrincipal(
  client: DavClient,
  session: ProviderSession,
  listing: Listing,
): Promise<DiscoveredAccount | undefined> {
  const [response] = listing.responses;
  const principal = response?.props.get(PRINCIPAL);
  if (principal?.children.some(({ name }) => name === dav('unauthenticated')) === true) {
    throw new ProviderError('invalid-grant', 'the server takes the request for that of no person', { status: 401 });
  }
  const href = childText(principal, dav('href')) ?? hrefIn(listing, dav('principal-URL'));
  if (href === undefined) return undefined;
  const principalUrl = resolve(href, listing.url);
  const own = await client.propfind(session, principalUrl, '0', [HOME, ADDRESSES]);
  const home = hrefIn(own, HOME);
  if (home === undefined) return undefined;
  return {
    principalUrl,
    homeUrl: asCollection(resolve(home, own.url)),
    ...addressesIn(own),
  };
}

function hrefIn({ responses }: Listing, name: ReturnType<typeof dav>): string | undefined {
  return childText(responses[0]?.props.get(name), dav('href'));
}

/** Resolves an address that the server names. @throws ProviderError forbidden when credentials must not go there */
function resolve(href: string, base: string): string {
  if (!URL.canParse(href, base)) throw new ProviderError('malformed', 'the server names an address that is none');
  const [from, to] = [new URL(base), new URL(href, base)];
  if (isSameSite(from, to)) return to.href;
  const rule = `the server says that the calendars are at another site, ${to.protocol}//${to.host}; name that one`;
  throw new ProviderError('forbidden', rule, { field: 'serverUrl' });
}

function addressesIn({ responses, url }: Listing): Pick<DiscoveredAccount, 'emails' | 'uris'> {
  const hrefs = (responses[0]?.props.get(ADDRESSES)?.children ?? []).filter(({ name }) => name === dav('href'));
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
