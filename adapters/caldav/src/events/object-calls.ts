import { isWholeText } from 'kalends/icalendar';
import { ProviderError, type ProviderSession } from 'kalends/ports';
import { CALLS_AT_ONCE, inParallel } from 'kalends/runtime';
import { type AccountPlace, placeOf } from '../account/account-place.ts';
import type { CaldavSettings } from '../options.ts';
import type { DavClient, Listing, WriteCondition } from '../protocol/dav-client.ts';
import { innerFailure, isAboutRequest, isGone } from '../protocol/failure.ts';
import type { DavResponse } from '../protocol/multistatus.ts';
import { caldavName, dav, type Name } from '../protocol/names.ts';
import { encodePath, pathOf } from '../protocol/paths.ts';
import { isObjectPath } from '../server-kind.ts';

const ETAG = dav('getetag');
const TYPE = dav('resourcetype');
const DATA = caldavName('calendar-data');
const SCHEDULE_TAG = caldavName('schedule-tag');
/** Properties that a pull needs. For another one DAViCal asks its database about every object by itself. */
const PULLED = [ETAG, DATA];
/** Properties that a write needs. */
const FOR_WRITES = [...PULLED, SCHEDULE_TAG];
/** RFC 4331 of some servers, which list objects without tags (SmarterMail). */
const MODIFIED = dav('getlastmodified');
/** Status of a collection some of whose changes are left out (RFC 6578 §3.6). */
const CUT = 507;
/** From this number of refusals on, without an answer, the server is taken to be down. */
const FEW = 3;

/** An object of a calendar with its text. */
export interface CalendarObject {
  readonly path: string;
  readonly tag: string | null;
  /** Undefined also for an object of a pull. */
  readonly scheduleTag: string | undefined;
  readonly text: string;
}

/** An object that a list names, without its text. */
export interface ListedObject {
  readonly path: string;
  readonly tag: string | null;
}

/** Changes of a calendar since a sync token. */
export interface ObjectChanges {
  readonly changed: readonly ListedObject[];
  readonly removed: readonly string[];
  readonly token: string | undefined;
  /** Whether the server has left changes out, which follow under `token` (507, RFC 6578 §3.6). */
  readonly isTruncated: boolean;
}

/** Objects as they were read. */
export interface ReadObjects {
  /** Each under its path; undefined for one that is gone. */
  readonly found: ReadonlyMap<string, CalendarObject | undefined>;
  /** Objects that the server refuses to hand out, while it answers others. */
  readonly refused: ReadonlyMap<string, ProviderError>;
}

/** Objects of one calendar. */
export interface ObjectCalls {
  /** Number of objects that `readEach` asks for at the same time. */
  readonly atOnce: number;
  /** Lists all objects with their tags. */
  list(session: ProviderSession, calendarPath: string): Promise<readonly ListedObject[]>;
  /** Lists objects with events, and others with them only where the server cannot tell them apart. */
  listEvents(session: ProviderSession, calendarPath: string): Promise<readonly ListedObject[]>;
  sync(session: ProviderSession, calendarPath: string, token: string | null): Promise<ObjectChanges>;
  /** Reads objects; one that is refused costs no other. */
  readEach(session: ProviderSession, calendarPath: string, paths: readonly string[]): Promise<ReadObjects>;
  /** Reads an object; undefined for one that is gone. */
  read(session: ProviderSession, calendarPath: string, path: string): Promise<CalendarObject | undefined>;
  put(session: ProviderSession, path: string, text: string, condition: WriteCondition): Promise<void>;
  remove(session: ProviderSession, path: string, condition: WriteCondition): Promise<void>;
}

/** Creates the calls over the protocol. */
export function createObjectCalls({ limits }: Pick<CaldavSettings, 'limits'>, client: DavClient): ObjectCalls {
  const perCall = Math.max(1, Math.min(50, limits.objectsPerCall));

  async function multiget(
    session: ProviderSession,
    place: AccountPlace,
    calendarPath: string,
    paths: readonly string[],
    names: readonly Name[],
  ): Promise<ReadonlyMap<string, CalendarObject | undefined>> {
    const hrefs = paths.map(encodePath);
    const listing = await client.multiget(session, place.urlOf(calendarPath), hrefs, names);
    const read = new Map<string, CalendarObject | undefined>();
    for (const { href, props, status, failed } of listing.responses) {
      const path = place.pathOf(href) ?? pathOf(href, new URL(listing.url));
      const text = props.get(DATA)?.text;
      if (path === undefined || !paths.includes(path)) continue;
      // A text that is cut off is asked for once more by itself, as one that is left out.
      if (text !== undefined && isWholeText(text)) {
        read.set(path, {
          path,
          tag: tagIn(props, ETAG) ?? null,
          scheduleTag: tagIn(props, SCHEDULE_TAG),
          text,
        });
      } else if (status === 404 || status === 410 || failed.get(DATA) === 404) read.set(path, undefined);
    }
    return read;
  }

  /**
   * Returns the tag of an object, null for one without, undefined for one that is gone. It is read before the text: under the tag of a later change an earlier
   * text would count as known. Proxies change the tag in headers: weak, or with the name of a compression.
   */
  async function tagAlone(
    session: ProviderSession,
    place: AccountPlace,
    path: string,
  ): Promise<string | null | undefined> {
    try {
      const { responses } = await client.propfind(session, place.urlOf(path), '0', [ETAG]);
      const [first] = responses;
      return (first && tagIn(first.props, ETAG)) ?? null;
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  /** A href that a multiget leaves out, or cuts, is unknown, not gone (DAViCal, Google): it is asked once more by itself. */
  async function readAlone(
    session: ProviderSession,
    place: AccountPlace,
    path: string,
  ): Promise<CalendarObject | undefined> {
    const tag = await tagAlone(session, place, path);
    if (tag === undefined) return undefined;
    const text = await client.get(session, place.urlOf(path));
    return text === undefined ? undefined : { path, tag, scheduleTag: undefined, text };
  }

  async function readEach(
    session: ProviderSession,
    calendarPath: string,
    paths: readonly string[],
    names: readonly Name[],
  ): Promise<ReadObjects> {
    const place = await placeOf(session);
    const found = new Map<string, CalendarObject | undefined>();
    const refused = new Map<string, ProviderError>();
    let answers = false;
    const batches = Array.from({ length: Math.ceil(paths.length / perCall) }, (_, at) =>
      paths.slice(at * perCall, (at + 1) * perCall),
    );
    await inParallel(batches, async (batch) => {
      const read = await unlessRefused(() => multiget(session, place, calendarPath, batch, names));
      if (ProviderError.isInstance(read)) return;
      answers = true;
      for (const [path, object] of read) found.set(path, object);
    });
    const unknown = paths.filter((path) => !found.has(path));
    await inParallel(unknown, async (path) => {
      const read = await unlessRefused(() => readAlone(session, place, path));
      if (!ProviderError.isInstance(read)) found.set(path, read);
      else refused.set(path, read);
      // A server that is down answers nothing at all: not every object is asked for first.
      if (ProviderError.isInstance(read) && !answers && found.size === 0 && refused.size > FEW) throw read;
    });
    const [first] = refused.values();
    if (first !== undefined && !answers && found.size === 0) throw first;
    return { found, refused };
  }

  async function list(session: ProviderSession, calendarPath: string): Promise<readonly ListedObject[]> {
    const place = await placeOf(session);
    const listing = await client.propfind(session, place.urlOf(calendarPath), '1', [ETAG, TYPE, MODIFIED]);
    requireWhole(listing);
    requireUnrefused(listing, place, calendarPath);
    return objectsIn(listing, place, calendarPath);
  }

  return {
    atOnce: perCall * CALLS_AT_ONCE,
    list,

    async listEvents(session, calendarPath) {
      const place = await placeOf(session);
      const url = place.urlOf(calendarPath);
      const listing = await unlessRefused(() => client.queryEvents(session, url, [ETAG, TYPE, MODIFIED]));
      // A refusal may be of the query alone, or of the calendar: a list tells.
      if (ProviderError.isInstance(listing) || listing.responses.some(isRefused)) return list(session, calendarPath);
      // Some servers answer so for a calendar that is gone.
      if (listing.responses.length === 0) requireWhole(await client.propfind(session, url, '0', [TYPE]));
      return objectsIn(listing, place, calendarPath);
    },

    async sync(session, calendarPath, token) {
      const place = await placeOf(session);
      const listing = await client.sync(session, place.urlOf(calendarPath), token, [ETAG, TYPE]);
      const cut = listing.responses.find(
        ({ href, status }) => status === CUT && isCollection(pathIn(listing, place, href), calendarPath),
      );
      const responses = listing.responses.filter((response) => response !== cut);
      requireUnrefused({ ...listing, responses }, place, calendarPath);
      const removed = responses
        .filter(isGoneThere)
        .map(({ href }) => pathIn(listing, place, href))
        .filter((path) => isObjectPath(path, calendarPath));
      return {
        changed: objectsIn(listing, place, calendarPath),
        removed: [...new Set(removed)],
        token: listing.syncToken,
        isTruncated: cut !== undefined,
      };
    },

    readEach: (session, calendarPath, paths) => readEach(session, calendarPath, paths, PULLED),

    async read(session, calendarPath, path) {
      const { found, refused } = await readEach(session, calendarPath, [path], FOR_WRITES);
      const refusal = refused.get(path);
      if (refusal !== undefined) throw refusal;
      return found.get(path);
    },

    async put(session, path, text, condition) {
      await client.put(session, (await placeOf(session)).urlOf(path), text, condition);
    },

    async remove(session, path, condition) {
      await client.remove(session, (await placeOf(session)).urlOf(path), condition);
    },
  };
}

/**
 * Requires that a list is one of the whole calendar: what is absent from it counts as deleted.
 * @throws ProviderError malformed, or that of the collection
 */
function requireWhole({ responses }: Listing): void {
  const [first] = responses;
  // A collection lists itself too, and Xandikos answers so for one that does not exist.
  if (first === undefined) throw new ProviderError('malformed', 'the list of a calendar is empty, without itself');
  if (responses.length === 1 && first.status !== undefined && first.status >= 400) {
    throw innerFailure(first.status, first.errors);
  }
  if (responses.some(({ status }) => status === 507)) {
    throw new ProviderError('malformed', 'the server cut the list of a calendar', { status: 507 });
  }
}

/** Returns the path of an object. @throws ProviderError malformed for one at another origin, which would count as deleted */
function pathIn({ url }: Listing, place: AccountPlace, href: string): string {
  const path = place.pathOf(href) ?? pathOf(href, new URL(url));
  if (path === undefined) throw new ProviderError('malformed', 'the server lists objects at another address');
  return path;
}

/** Characters that a header can carry. */
const IN_HEADERS = /^[\t\x20-\x7e\x80-\xff]+$/;

/** Reads a tag; undefined for none, and for one that a condition could not send back. */
function tagIn(props: DavResponse['props'], name: Name): string | undefined {
  const tag = props.get(name)?.text.trim();
  return tag !== undefined && IN_HEADERS.test(tag) ? tag : undefined;
}

/** Resolves with the error of a request that the server refuses. @throws the other errors */
async function unlessRefused<Result>(ask: () => Promise<Result>): Promise<Result | ProviderError> {
  try {
    return await ask();
  } catch (error) {
    if (!isAboutRequest(error)) throw error;
    return error;
  }
}

const isRefused = ({ status = 200 }: DavResponse): boolean => status >= 400;

const isGoneThere = ({ status }: Pick<DavResponse, 'status'>): boolean => status === 404 || status === 410;

/** Whether a path is that of the calendar, or of a collection in it. */
function isCollection(path: string, calendarPath: string): boolean {
  return !isObjectPath(path, calendarPath);
}

/**
 * Requires that a server refuses no calendar inside of 207, by itself or in the midst of its objects.
 * @throws ProviderError the refusal
 */
function requireUnrefused(listing: Listing, place: AccountPlace, calendarPath: string): void {
  const own = listing.responses.find(({ href, status = 200 }) => {
    if (status < 400) return false;
    const path = pathIn(listing, place, href);
    // Xandikos writes a path of its own for a calendar that it does not have.
    const isAlone = listing.responses.length === 1 && isCollection(path, calendarPath);
    return path === calendarPath || `${path}/` === calendarPath || isAlone;
  });
  if (own?.status !== undefined) throw innerFailure(own.status, own.errors);
}

/**
 * Reads the objects of a list: all that is no collection, whatever its name ends in. One path counts once. One that the list itself
 * cannot describe is there, as far as it is known.
 */
function objectsIn(listing: Listing, place: AccountPlace, calendarPath: string): readonly ListedObject[] {
  const objects = new Map<string, ListedObject>();
  for (const response of listing.responses) {
    const { props } = response;
    const path = pathIn(listing, place, response.href);
    if (isGoneThere(response) || !isObjectPath(path, calendarPath)) continue;
    if (props.get(TYPE)?.children.some(({ name }) => name === dav('collection')) === true) continue;
    const tag = tagIn(props, ETAG) ?? (props.get(MODIFIED)?.text.trim() || null);
    objects.set(path, { path, tag });
  }
  return [...objects.values()];
}
