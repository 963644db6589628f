import type { SyncPage } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { MirrorSnapshot } from '../mirror/index.ts';
import {
  type PagePoint,
  requireRevision,
  revisionOf,
  storedCalendar,
  tokenHash,
  type ViewTokens,
} from '../mirror/index.ts';
import type { Calendar, DeletedCalendar } from '../model/index.ts';
import type { CollectionKey, MirrorStore } from '../ports/index.ts';
import { presentCalendar } from './calendar-view.ts';

/** Calendar lists have no filters to remember. */
export type CalendarListTokens = ViewTokens<null>;

interface TouchedPosition {
  readonly revision: number;
  readonly groupId: string;
}

type CalendarPage = SyncPage<Calendar | DeletedCalendar>;

export interface CalendarListRequest {
  readonly pageToken: string | undefined;
  readonly syncToken: string | undefined;
  readonly limit: number | undefined;
  readonly defaultLimit: number;
}

/** One page of an account's calendars, or of what has changed since a token. */
export async function listCalendars(
  mirror: MirrorStore,
  tokens: CalendarListTokens,
  { key, state, syncedAt, pollEveryMs }: MirrorSnapshot,
  request: CalendarListRequest,
): Promise<CalendarPage> {
  const point = await pointOf(mirror, tokens, key, state, request);
  const { data, next } =
    point.since === undefined
      ? await listPage(mirror, key, point)
      : await syncPage(mirror, key, point, point.since.revision);
  const token =
    next === undefined
      ? { nextSyncToken: tokens.sealSync(key, { query: null, at: point.at }) }
      : { nextPageToken: tokens.sealPage(key, { ...point, position: next }) };
  return { data, ...token, syncedAt, pollEveryMs, etag: tokens.etagOf(key, point) };
}

async function pointOf(
  mirror: MirrorStore,
  tokens: CalendarListTokens,
  key: CollectionKey,
  state: MirrorSnapshot['state'],
  { pageToken, syncToken, limit, defaultLimit }: CalendarListRequest,
): Promise<PagePoint<null>> {
  if (pageToken !== undefined) {
    const sealed = tokens.openPage(key, pageToken);
    await requireRevision(mirror, key, sealed.at, state);
    if (syncToken !== undefined && sealed.since?.tokenHash !== tokenHash(syncToken)) {
      const message = 'differs from the list that the pageToken belongs to';
      throw new KalendsError('InvalidPageToken', `syncToken: ${message}`, {
        details: [{ path: 'syncToken', message }],
      });
    }
    if (sealed.since !== undefined) await requireRevision(mirror, key, sealed.since, state);
    return { ...sealed, limit: limit ?? sealed.limit };
  }
  const start = { query: null, at: revisionOf(state), position: undefined, limit: limit ?? defaultLimit };
  if (syncToken === undefined) return start;
  const { at } = tokens.openSync(key, syncToken);
  const timeZone = await requireRevision(mirror, key, at, state);
  return { ...start, since: { ...at, timeZone, tokenHash: tokenHash(syncToken) } };
}

async function listPage(mirror: MirrorStore, key: CollectionKey, { at, position, limit }: PagePoint<null>) {
  const after = position as string | undefined;
  const items = await mirror.readListed(key, {
    asOf: at.revision,
    limit: limit + 1,
    ...(after === undefined ? {} : { after }),
  });
  const shown = items.slice(0, limit);
  return {
    data: shown.map((item) => presentCalendar(storedCalendar(item))),
    next: items.length > limit ? shown.at(-1)?.itemId : undefined,
  };
}

/** Calendars that differ between two revisions: those as they are now, and those that have gone. */
async function syncPage(
  mirror: MirrorStore,
  key: CollectionKey,
  { at, position, limit }: PagePoint<null>,
  since: number,
) {
  const data: (Calendar | DeletedCalendar)[] = [];
  let after = position as TouchedPosition | undefined;
  for (;;) {
    const touched = await mirror.listTouched(key, {
      since,
      until: at.revision,
      limit: limit + 1,
      ...(after === undefined ? {} : { after }),
    });
    const ids = touched.map(({ groupId }) => groupId);
    const before = new Set((await mirror.readGroups(key, ids, since)).map(({ itemId }) => itemId));
    const now = new Map((await mirror.readGroups(key, ids, at.revision)).map((item) => [item.itemId, item]));
    for (const { groupId, revision } of touched) {
      const item = now.get(groupId);
      if (item === undefined && !before.has(groupId)) continue;
      if (data.length === limit) return { data, next: after };
      data.push(item === undefined ? { id: groupId, isDeleted: true } : presentCalendar(storedCalendar(item)));
      after = { revision, groupId };
    }
    if (touched.length <= limit) return { data, next: undefined };
    after = touched.at(-1);
  }
}
