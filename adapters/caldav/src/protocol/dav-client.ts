import { createProviderTransport, type Effect, type Exchange } from '@kalends/provider-transport';
import { ProviderError, type ProviderSession } from 'kalends/ports';
import type { CaldavSettings } from '../options.ts';
import {
  eventQueryBody,
  mkcalendarBody,
  multigetBody,
  type PropValue,
  propfindBody,
  proppatchBody,
  syncBody,
} from './bodies.ts';
import { innerFailure, isGone, readFailure } from './failure.ts';
import { type DavResponse, type Multistatus, readMultistatus } from './multistatus.ts';
import type { Name } from './names.ts';

const XML = 'application/xml; charset=utf-8';
const CALENDAR = 'text/calendar; charset=utf-8';
/** RFC 6764 asks clients to follow redirects; five are more than any server has. */
const REDIRECTS = 5;

/** A multistatus with the address that gave it, which its relative hrefs are below. */
export interface Listing extends Multistatus {
  readonly url: string;
}

/** Condition of a write. Tags go back exactly as they came. */
export interface WriteCondition {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: '*' | undefined;
  readonly ifScheduleTagMatch?: string | undefined;
}

/** WebDAV on behalf of accounts. Every address is absolute. Each method throws ProviderError. */
export interface DavClient {
  propfind(session: ProviderSession, url: string, depth: '0' | '1', names: readonly Name[]): Promise<Listing>;
  /** Resolves with the properties that were refused, each with its status. */
  proppatch(
    session: ProviderSession,
    url: string,
    values: readonly (readonly [Name, PropValue])[],
    removed: readonly Name[],
  ): Promise<ReadonlyMap<Name, number>>;
  mkcalendar(session: ProviderSession, url: string, values: readonly (readonly [Name, PropValue])[]): Promise<void>;
  sync(session: ProviderSession, url: string, token: string | null, names: readonly Name[]): Promise<Listing>;
  multiget(session: ProviderSession, url: string, hrefs: readonly string[], names: readonly Name[]): Promise<Listing>;
  /** Lists the objects with events. */
  queryEvents(session: ProviderSession, url: string, names: readonly Name[]): Promise<Listing>;
  /** Resolves with the text of an object; undefined for none. */
  get(session: ProviderSession, url: string): Promise<string | undefined>;
  put(session: ProviderSession, url: string, text: string, condition: WriteCondition): Promise<void>;
  /** Resolves also when the resource is gone already. */
  remove(session: ProviderSession, url: string, condition: WriteCondition): Promise<void>;
}

/** Creates the nine verbs that CalDAV needs, over the shared transport. */
export function createDavClient(settings: CaldavSettings): DavClient {
  const { exchange } = createProviderTransport({ settings, readFailure, redirects: REDIRECTS });

  async function report(
    session: ProviderSession,
    request: {
      readonly method: 'PROPFIND' | 'REPORT';
      readonly url: string;
      readonly depth: '0' | '1';
      readonly text: string;
      readonly effect?: Effect;
    },
  ): Promise<Listing> {
    const { method, url, depth, text, effect = 'none' } = request;
    const headers = { 'content-type': XML, accept: XML, depth };
    const answer = await exchange(session, { method, url, headers, text, effect });
    if (answer.status !== 207) throw new ProviderError('malformed', `${method} was answered ${answer.status}, not 207`);
    const listing = { ...(await readMultistatus(answer.text)), url: answer.url };
    const [first] = listing.responses;
    // Xandikos answers for a collection that does not exist with 207, and 404 inside.
    if (listing.responses.length === 1 && first?.status !== undefined && first.status >= 400 && depth === '0') {
      if (method === 'PROPFIND') throw innerFailure(first.status, first.errors);
    }
    return listing;
  }

  return {
    propfind: (session, url, depth, names) =>
      report(session, { method: 'PROPFIND', url, depth, text: propfindBody(names) }),

    async proppatch(session, url, values, removed) {
      const headers = { 'content-type': XML, accept: XML };
      const text = proppatchBody(values, removed);
      const answer = await exchange(session, { method: 'PROPPATCH', url, headers, text, effect: 'idempotent' });
      return refusedIn(answer);
    },

    async mkcalendar(session, url, values) {
      const headers = { 'content-type': XML, accept: XML };
      const text = mkcalendarBody(values);
      await requireMade(await exchange(session, { method: 'MKCALENDAR', url, headers, text, effect: 'harmful' }));
    },

    sync: (session, url, token, names) =>
      // A dead token is a 500 on some servers: repeating it would only wait.
      report(session, {
        method: 'REPORT',
        url,
        depth: '0',
        text: syncBody(token, names),
        ...(token === null ? {} : { effect: 'harmful' }),
      }),

    multiget: (session, url, hrefs, names) =>
      report(session, { method: 'REPORT', url, depth: '1', text: multigetBody(hrefs, names) }),

    queryEvents: (session, url, names) =>
      report(session, { method: 'REPORT', url, depth: '1', text: eventQueryBody(names) }),

    async get(session, url) {
      try {
        return (await exchange(session, { method: 'GET', url, headers: { accept: 'text/calendar' } })).text;
      } catch (error) {
        if (!isGone(error)) throw error;
        return undefined;
      }
    },

    async put(session, url, text, condition) {
      const headers = { 'content-type': CALENDAR, accept: '*/*', ...conditionHeaders(condition) };
      const isConditional = Object.keys(conditionHeaders(condition)).length > 0;
      const effect = isConditional ? 'harmful' : 'idempotent';
      await requireMade(await exchange(session, { method: 'PUT', url, headers, text, effect }));
    },

    async remove(session, url, condition) {
      const headers = { accept: '*/*', ...conditionHeaders(condition) };
      const isConditional = Object.keys(conditionHeaders(condition)).length > 0;
      try {
        const effect = isConditional ? 'harmful' : 'idempotent';
        const answer = await exchange(session, { method: 'DELETE', url, headers, effect });
        if (answer.status === 207) await requireMade(answer);
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    },
  };
}

function conditionHeaders({ ifMatch, ifNoneMatch, ifScheduleTagMatch }: WriteCondition): Record<string, string> {
  return {
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    ...(ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch }),
    ...(ifScheduleTagMatch === undefined ? {} : { 'if-schedule-tag-match': ifScheduleTagMatch }),
  };
}

/** A 207 of a write is a failure, with its status inside (Xandikos). @throws ProviderError */
async function requireMade({ status, text }: Exchange): Promise<void> {
  if (status === 200 || status === 201 || status === 204) return;
  if (status !== 207) throw new ProviderError('malformed', `a write was answered ${status}`, { status });
  const refused = (await readMultistatus(text)).responses.find((response) => refusalOf(response) !== undefined);
  if (refused !== undefined) throw innerFailure(refusalOf(refused) ?? 500, refused.errors);
}

function refusalOf({ status, failed }: DavResponse): number | undefined {
  if (status !== undefined && status >= 300) return status;
  const [first] = failed.values();
  return first;
}

async function refusedIn({ status, text }: Exchange): Promise<ReadonlyMap<Name, number>> {
  if (status !== 207) return new Map();
  const refused = new Map<Name, number>();
  for (const response of (await readMultistatus(text)).responses) {
    if (response.status !== undefined && response.status >= 300) throw innerFailure(response.status, response.errors);
    for (const [name, failure] of response.failed) refused.set(name, failure);
  }
  return refused;
}
