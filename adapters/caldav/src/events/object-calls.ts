import { ProviderError, type ProviderSession } from 'kalends/ports';
import { inParallel } from 'kalends/runtime';
import { type AccountPlace, placeOf } from '../account/account-place.ts';
import type { CaldavSettings } from '../options.ts';
import type { DavClient, Listing, WriteCondition } from '../protocol/dav-client.ts';
import { innerFailure, isGone } from '../protocol/failure.ts';
import { caldavName, dav } from '../protocol/names.ts';
import { encodePath, pathOf } from '../protocol/paths.ts';
import { isObjectPath } from '../server-kind.ts';

const ETAG = dav('getetag');
const TYPE = dav('resourcetype');
const DATA = caldavName('calendar-data');
const SCHEDULE_TAG = caldavName('schedule-tag');
/** RFC 4331 of some servers, which list objects without tags (SmarterMail). */
const MODIFIED = dav('getlastmodified');

/** An object of a calendar with its text. */
export interface CalendarObject {
  readonly path: string;
  readonly tag: string | null;
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

/** Objects of one calendar. */
export interface ObjectCalls {
  /** Lists all objects with their tags. */
  list(session: ProviderSession, calendarPath: string): Promise<readonly ListedObject[]>;
  sync(session: ProviderSession, calendarPath: string, token: string | null): Promise<ObjectChanges>;
  /** Reads objects, each under its path; undefined for one that is gone. */
  read(
    session: ProviderSession,
    calendarPath: string,
    paths: readonly string[],
  ): Promise<ReadonlyMap<string, CalendarObject | undefined>>;
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
  ): Promise<ReadonlyMap<string, CalendarObject | undefined>> {
    const hrefs = paths.map(encodePath);
    const listing = await client.multiget(session, place.urlOf(calendarPath), hrefs, [ETAG, DATA, SCHEDULE_TAG]);
    const read = new Map<string, CalendarObject | undefined>();
    for (const { href, props, status, failed } of listing.responses) {
      const path = place.pathOf(href) ?? pathOf(href, new URL(listing.url));
      const text = props.get(DATA)?.text;
      if (path === undefined || !paths.includes(path)) continue;
      if (text !== undefined && text.trim() !== '') {
        read.set(path, {
          path,
          tag: props.get(ETAG)?.text.trim() || null,
          scheduleTag: props.get(SCHEDULE_TAG)?.text.trim() || undefined,
          text,
        });
      } else if (status === 404 || status === 410 || failed.get(DATA) === 404) read.set(path, undefined);
    }
    return read;
  }

  /**
   * Returns the tag of an object, null for one that is gone. It is read before the text: under the tag of a later change an earlier
   * text would count as known. Proxies change the tag in headers: weak, or with the name of a compression.
   */
  async function tagAlone(session: ProviderSession, place: AccountPlace, path: string): Promise<string | null> {
    try {
      const { responses } = await client.propfind(session, place.urlOf(path), '0', [ETAG]);
      return responses[0]?.props.get(ETAG)?.text.trim() || null;
    } catch (error) {
      if (isGone(error)) return null;
      throw error;
    }
  }

  /** A href that a multiget leaves out is unknown, not gone (DAViCal, Google): it is asked once more by itself. */
  async function readAlone(
    session: ProviderSession,
    place: AccountPlace,
    path: string,
  ): Promise<CalendarObject | undefined> {
    const tag = await tagAlone(session, place, path);
    const text = await client.get(session, place.urlOf(path));
    return text === undefined ? undefined : { path, tag, scheduleTag: undefined, text };
  }

  return {
    async list(session, calendarPath) {
      const place = await placeOf(session);
      const listing = await client.propfind(session, place.urlOf(calendarPath), '1', [ETAG, TYPE, MODIFIED]);
      requireWhole(listing);
      return objectsIn(listing, place, calendarPath);
    },

    async sync(session, calendarPath, token) {
      const place = await placeOf(session);
      const listing = await client.sync(session, place.urlOf(calendarPath), token, [ETAG, TYPE]);
      const isSelf = (href: string): boolean => {
        const path = place.pathOf(href) ?? pathOf(href, new URL(listing.url));
        return path !== undefined && !isObjectPath(path, calendarPath);
      };
      const removed = listing.responses
        .filter(({ status }) => status === 404 || status === 410)
        .map(({ href }) => pathIn(listing, place, href))
        .filter((path) => isObjectPath(path, calendarPath));
      return {
        changed: objectsIn(listing, place, calendarPath),
        removed: [...new Set(removed)],
        token: listing.syncToken,
        isTruncated: listing.responses.some(({ href, status }) => status === 507 && isSelf(href)),
      };
    },

    async read(session, calendarPath, paths) {
      const place = await placeOf(session);
      const read = new Map<string, CalendarObject | undefined>();
      const batches = Array.from({ length: Math.ceil(paths.length / perCall) }, (_, at) =>
        paths.slice(at * perCall, (at + 1) * perCall),
      );
      await inParallel(batches, async (batch) => {
        for (const [path, object] of await multiget(session, place, calendarPath, batch)) read.set(path, object);
      });
      const unknown = paths.filter((path) => !read.has(path));
      await inParallel(unknown, async (path) => void read.set(path, await readAlone(session, place, path)));
      return read;
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

/** Reads the objects of a list: all that is no collection, whatever its name ends in. One path counts once. */
function objectsIn(listing: Listing, place: AccountPlace, calendarPath: string): readonly ListedObject[] {
  const objects = new Map<string, ListedObject>();
  for (const { href, status, props } of listing.responses) {
    if (status !== undefined && status >= 300) continue;
    const path = pathIn(listing, place, href);
    if (!isObjectPath(path, calendarPath)) continue;
    if (props.get(TYPE)?.children.some(({ name }) => name === dav('collection')) === true) continue;
    const tag = props.get(ETAG)?.text.trim() || props.get(MODIFIED)?.text.trim() || null;
    objects.set(path, { path, tag });
  }
  return [...objects.values()];
}
