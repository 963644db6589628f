import { type AnswerBytes, fetchBytes, readRetryAfter, type TransportSettings } from '@kalends/provider-transport';
import { decodeText, ICalendarError, isWholeText } from 'kalends/icalendar';
import { type AccountCredentials, ProviderError, type ProviderSession } from 'kalends/ports';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 5;
/** The publisher has closed the feed, or closed it to us. */
const CLOSED: ReadonlySet<number> = new Set([401, 403, 410]);

/** Marks of a version of the feed, as its server gave them. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface FeedAnswer {
  /** Null when the feed is as the validators say. */
  readonly text: string | null;
  readonly validators: Validators;
}

/** Reads feeds. */
export interface FeedClient {
  /**
   * Reads the feed at an address; redirects are followed to any public address, but never from https to http.
   * @throws ProviderError unauthorized when it is closed, not-found, forbidden for an address that must not be asked, malformed for
   * something else than a calendar, rate-limited, unavailable, timeout
   */
  read(url: string, known: Validators, signal: AbortSignal | undefined): Promise<FeedAnswer>;
  /** Reads the feed of an account. A closed one ends the account once a second request has confirmed it. @throws ProviderError */
  readFor(session: ProviderSession, known: Validators): Promise<FeedAnswer>;
  /** Returns the address of an account's feed. */
  urlOf(session: ProviderSession): Promise<URL>;
}

export function createFeedClient(settings: TransportSettings): FeedClient {
  const read: FeedClient['read'] = async (first, known, signal) => {
    const headers = {
      accept: 'text/calendar, */*;q=0.1',
      ...(known.etag === undefined ? {} : { 'if-none-match': known.etag }),
      ...(known.lastModified === undefined ? {} : { 'if-modified-since': known.lastModified }),
    };
    let url = new URL(first);
    for (let followed = 0; followed <= MOST_REDIRECTS; followed += 1) {
      const answer = await fetchBytes(settings, url.href, { headers }, signal).catch((error: unknown) => {
        if (ProviderError.isInstance(error) || !signal?.aborted) throw error;
        throw new ProviderError('unavailable', 'the call was given up by its caller', { cause: error });
      });
      const location = answer.headers.get('location');
      if (!REDIRECTS.has(answer.status) || location === null) return readAnswer(answer, known, settings.clock.now());
      url = redirected(url, location);
    }
    throw new ProviderError('malformed', 'the feed redirects too often');
  };

  const credentialsOf = async (session: ProviderSession, refused?: AccountCredentials) => {
    const credentials = await session.credentials?.(refused);
    if (credentials?.kind !== 'url') throw new Error('a session of a feed has an address');
    return credentials;
  };

  return {
    read,
    urlOf: async (session) => new URL((await credentialsOf(session)).url),
    async readFor(session, known) {
      const ask = async ({ url }: { readonly url: string }) => {
        await session.admit?.(session.isBackground ?? false);
        return await read(url, known, session.signal);
      };
      const credentials = await credentialsOf(session);
      try {
        return await ask(credentials).catch(async (error: unknown) => {
          if (!ProviderError.isInstance(error) || error.reason !== 'unauthorized') throw error;
          return await ask(await credentialsOf(session, credentials));
        });
      } catch (error) {
        // A file that is missing for a while is no end of the feed.
        if (!ProviderError.isInstance(error) || error.reason !== 'not-found') throw error;
        throw new ProviderError('unavailable', error.message, { status: 404, cause: error });
      }
    },
  };
}

function redirected(from: URL, location: string): URL {
  const target = location.replace(/^webcals?:/i, 'https:');
  if (!URL.canParse(target, from.href)) throw new ProviderError('malformed', 'the feed redirects to no address');
  const to = new URL(target, from);
  const isSafe = to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:');
  if (!isSafe) throw new ProviderError('malformed', `the feed redirects from ${from.protocol} to ${to.protocol}`);
  return to;
}

function readAnswer({ status, headers, bytes }: AnswerBytes, known: Validators, now: number): FeedAnswer {
  if (status === 304) return { text: null, validators: known };
  if (status !== 200) throw failureOf(status, readRetryAfter(headers.get('retry-after'), now));
  const text = textOf(headers, bytes);
  if (!/^[\uFEFF\s]*BEGIN:VCALENDAR/i.test(text)) throw new ProviderError('malformed', 'the feed is no calendar');
  if (!isWholeText(text)) throw new ProviderError('malformed', 'the feed is cut off');
  const [etag, lastModified] = [headers.get('etag'), headers.get('last-modified')];
  const validators = { ...(etag === null ? {} : { etag }), ...(lastModified === null ? {} : { lastModified }) };
  return { text, validators };
}

/** One damaged character must not end the feed: its publisher will hardly hear of it. */
function textOf(headers: Headers, bytes: Uint8Array): string {
  const [, charset] = /;\s*charset\s*=\s*"?([\w.:-]{1,64})/i.exec(headers.get('content-type') ?? '') ?? [];
  try {
    return decodeText(bytes, { charset, keepsDamaged: true });
  } catch (error) {
    if (!(error instanceof ICalendarError)) throw error;
    throw new ProviderError('malformed', `the feed cannot be read: ${error.message}`, { cause: error });
  }
}

function failureOf(status: number, retryAfterMs: number | undefined): ProviderError {
  const options = { status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  const told = `the feed answered ${status}`;
  if (CLOSED.has(status)) return new ProviderError('unauthorized', told, options);
  if (status === 404) return new ProviderError('not-found', told, options);
  if (status === 429) return new ProviderError('rate-limited', told, options);
  return new ProviderError(status >= 500 ? 'unavailable' : 'malformed', told, options);
}
