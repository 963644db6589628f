import type { ConnectedAccount } from '../accounts/account-access.ts';
import { invalid, KalendsError } from '../errors.ts';
import type { CalendarEvent, DeletedEvent } from '../model/index.ts';
import type { CollectionKey, MirrorStore } from '../ports/index.ts';
import type { SyncPage as PublicPage } from '../services.ts';
import type { MirrorSnapshot } from '../sync/mirror.ts';
import { type PagePoint, requireRevision, revisionOf, tokenHash, type ViewTokens } from '../sync/view-token.ts';
import { type AnswerReader, createAnswerReader } from './answer-reader.ts';
import type { EventFilters } from './event-filters.ts';
import { presentDeletion, presentEvent } from './event-presenter.ts';
import { compileFilters, DEFAULT_LIMIT, type EventOrder, type ListRequest } from './event-query.ts';
import { type ListPosition, readListPage } from './list-page.ts';
import { readPageByStart, readPageByUpdate, type StartPosition, type UpdatedPosition } from './ordered-page.ts';
import { contradiction } from './same-filters.ts';
import { readSyncPage, type SyncPosition } from './sync-page.ts';

/** What the tokens of event lists remember. */
export interface EventListQuery {
  readonly filters: EventFilters;
  readonly order?: EventOrder;
  readonly displayZone?: string;
}

export type EventListTokens = ViewTokens<EventListQuery>;

type EventPage = PublicPage<CalendarEvent | DeletedEvent>;

/** Lists of one calendar's events: pages of an answer as of a revision, and of the difference of two. */
export interface EventListing {
  list(account: ConnectedAccount, snapshot: MirrorSnapshot, request: ListRequest, groupId?: string): Promise<EventPage>;
}

export function createEventListing(mirror: MirrorStore, tokens: EventListTokens): EventListing {
  return {
    async list({ provider }, snapshot, request, groupId) {
      const { mappingVersion } = provider;
      const listing: Listing = { mirror, tokens, snapshot, key: snapshot.key, mappingVersion, request };
      const { pageToken, syncToken } = request.query;
      if (pageToken !== undefined) return await continuePage(listing, pageToken, groupId);
      if (syncToken !== undefined) return await startSync(listing, syncToken, groupId);
      const { timeZone } = snapshot.state;
      const filters = compileFilters(request, timeZone, groupId);
      const reader = createAnswerReader(mirror, snapshot.key, snapshot.state.revision, timeZone);
      const query = {
        filters,
        ...(request.query.orderBy === undefined ? {} : { order: request.query.orderBy }),
        ...(request.displayZone === undefined ? {} : { displayZone: request.displayZone }),
      };
      const point = {
        query,
        at: revisionOf(snapshot.state),
        position: undefined,
        limit: request.limit ?? DEFAULT_LIMIT,
      };
      return await answerPage(listing, reader, point);
    },
  };
}

interface Listing {
  readonly mirror: MirrorStore;
  readonly tokens: EventListTokens;
  readonly snapshot: MirrorSnapshot;
  readonly key: CollectionKey;
  readonly mappingVersion: number;
  readonly request: ListRequest;
}

async function continuePage(listing: Listing, token: string, groupId: string | undefined): Promise<EventPage> {
  const { mirror, tokens, key, mappingVersion, request } = listing;
  const sealed = tokens.openPage(key, mappingVersion, token);
  const timeZone = await requireRevision(mirror, key, sealed.at);
  const { syncToken } = request.query;
  const wrong =
    syncToken !== undefined && sealed.since?.tokenHash !== tokenHash(syncToken)
      ? 'syncToken'
      : contradictionOf(listing, sealed.query.filters, groupId, timeZone);
  if (wrong !== undefined) {
    throw new KalendsError('InvalidPageToken', `${wrong}: differs from the list that the pageToken belongs to`, {
      details: [{ path: wrong, message: 'differs from the list that the pageToken belongs to' }],
    });
  }
  const point = { ...sealed, limit: request.limit ?? sealed.limit, query: shownIn(sealed.query, request) };
  const reader = createAnswerReader(mirror, key, sealed.at.revision, timeZone);
  if (sealed.since === undefined) return await answerPage(listing, reader, point);
  const sinceZone = await requireRevision(mirror, key, sealed.since);
  const before = createAnswerReader(mirror, key, sealed.since.revision, sinceZone);
  return await syncPage(listing, before, reader, { ...point, since: sealed.since });
}

async function startSync(listing: Listing, token: string, groupId: string | undefined): Promise<EventPage> {
  const { mirror, tokens, snapshot, key, mappingVersion, request } = listing;
  const sealed = tokens.openSync(key, mappingVersion, token);
  const timeZone = await requireRevision(mirror, key, sealed.at);
  const wrong = contradictionOf(listing, sealed.query.filters, groupId, timeZone);
  if (wrong !== undefined) {
    const message = 'differs from the list that the syncToken was made by';
    throw new KalendsError('SyncTokenMismatch', `${wrong}: ${message}`, { details: [{ path: wrong, message }] });
  }
  checkOrder(request, sealed.query.filters);
  const before = createAnswerReader(mirror, key, sealed.at.revision, timeZone);
  const reader = createAnswerReader(mirror, key, snapshot.state.revision, snapshot.state.timeZone);
  return await syncPage(listing, before, reader, {
    query: shownIn(sealed.query, request),
    at: revisionOf(snapshot.state),
    position: undefined,
    limit: request.limit ?? DEFAULT_LIMIT,
    since: { ...sealed.at, timeZone, tokenHash: tokenHash(token) },
  });
}

function checkOrder({ query }: ListRequest, { expand }: EventFilters): void {
  if (query.orderBy !== undefined && !expand) {
    throw invalid('orderBy', 'is only available with expandRecurrences=true');
  }
}

function contradictionOf(
  { request }: Listing,
  sealed: EventFilters,
  groupId: string | undefined,
  timeZone: string,
): string | undefined {
  return sealed.groupId !== groupId ? 'eventId' : contradiction(request, sealed, timeZone);
}

/** The display zone is no filter: the one that was sent now counts, else the one that was sent first. */
function shownIn(query: EventListQuery, { displayZone }: ListRequest): EventListQuery {
  return displayZone === undefined ? query : { ...query, displayZone };
}

async function answerPage(
  listing: Listing,
  reader: AnswerReader,
  point: PagePoint<EventListQuery>,
): Promise<EventPage> {
  const { displayZone } = point.query;
  const { members, next } = await readPage(reader, point);
  const data = members.map((member) => presentEvent(member, displayZone));
  if (next === undefined) return { data, ...lastPage(listing, point), syncedAt: listing.snapshot.syncedAt };
  return { data, nextPageToken: pageToken(listing, point, next), syncedAt: listing.snapshot.syncedAt };
}

/** Only this module seals positions, each under the order that it belongs to. */
function readPage(reader: AnswerReader, { query, position, limit }: PagePoint<EventListQuery>) {
  const { filters, order } = query;
  if (order === 'startDateTime') {
    return readPageByStart(reader, filters, limit, position as StartPosition | undefined);
  }
  if (order === 'updatedDateTime') {
    return readPageByUpdate(reader, filters, limit, position as UpdatedPosition | undefined);
  }
  return readListPage(reader, filters, limit, position as ListPosition | undefined);
}

async function syncPage(
  listing: Listing,
  since: AnswerReader,
  until: AnswerReader,
  point: PagePoint<EventListQuery>,
): Promise<EventPage> {
  const { filters, displayZone } = point.query;
  const position = point.position as SyncPosition | undefined;
  const page = await readSyncPage(listing.mirror, listing.key, { since, until, filters, limit: point.limit, position });
  const data = page.changes.map(({ kind, member }) =>
    kind === 'present' ? presentEvent(member, displayZone) : presentDeletion(member, displayZone),
  );
  const { syncedAt } = listing.snapshot;
  if (page.next === undefined) return { data, ...lastPage(listing, point), syncedAt };
  return { data, nextPageToken: pageToken(listing, point, page.next), syncedAt };
}

function pageToken({ tokens, key, mappingVersion }: Listing, point: PagePoint<EventListQuery>, position: unknown) {
  return tokens.sealPage(key, mappingVersion, { ...point, position });
}

function lastPage({ tokens, key, mappingVersion }: Listing, { query, at }: PagePoint<EventListQuery>) {
  const { order: _, ...remembered } = query;
  return { nextSyncToken: tokens.sealSync(key, mappingVersion, { query: remembered, at }) };
}
