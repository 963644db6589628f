import type { ConnectedAccount } from '../accounts/account-access.ts';
import { invalid, KalendsError } from '../errors.ts';
import type { CalendarEvent, DeletedEvent } from '../model/index.ts';
import type { Clock, CollectionKey, MirrorStore } from '../ports/index.ts';
import { createFairSlots, takeTurn } from '../runtime/index.ts';
import type { PageJson, SyncPage as PublicPage } from '../services.ts';
import type { MirrorSnapshot } from '../sync/mirror.ts';
import { type PagePoint, requireRevision, revisionOf, tokenHash, type ViewTokens } from '../sync/view-token.ts';
import { type AnswerReader, createAnswerReader } from './answer-reader.ts';
import type { EventFilters } from './event-filters.ts';
import { compileFilters, DEFAULT_LIMIT, type EventOrder, type ListRequest } from './event-query.ts';
import { type ListPosition, readListPage } from './list-page.ts';
import { readPageByStart, readPageByUpdate, type StartPosition, type UpdatedPosition } from './ordered-page.ts';
import { createPageCache } from './page-cache.ts';
import { presentRecords, printRecords } from './page-records.ts';
import { contradiction } from './same-filters.ts';
import { type MemberChange, readSyncPage, type SyncPosition } from './sync-page.ts';

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
  /** The same page, printed. Pages that are asked for again are printed once. */
  print(account: ConnectedAccount, snapshot: MirrorSnapshot, request: ListRequest): Promise<PageJson>;
}

/** A page with the token behind it, which says when it was issued. */
interface PrintedPage {
  readonly json: Uint8Array<ArrayBuffer>;
  /** Bytes before the token. */
  readonly dataBytes: number;
  readonly next: unknown;
  readonly etag: string;
  readonly issuedAt: number;
}

/** Memory for printed pages: some hundred of 250 events. */
const PRINTED_BYTES = 32 * 2 ** 20;
/** A token is given out again for so long: hardly anything of its life. */
const TOKEN_KEPT_MS = 60_000;
/** Pages worked out at a time: each may hold a thousand records, and a large heap makes long pauses for its collection. */
const PAGES_AT_ONCE = 8;

export function createEventListing(mirror: MirrorStore, tokens: EventListTokens, clock: Clock): EventListing {
  const slots = createFairSlots(PAGES_AT_ONCE);
  const printed = createPageCache<PrintedPage>(PRINTED_BYTES);
  const open = ({ provider }: ConnectedAccount, snapshot: MirrorSnapshot, request: ListRequest): Listing => ({
    mirror,
    tokens,
    snapshot,
    key: snapshot.key,
    mappingVersion: provider.mappingVersion,
    request,
  });

  async function printPage(listing: Listing, page: PageRequest): Promise<PrintedPage> {
    const name = page.since === undefined ? nameOf(listing, page) : undefined;
    const known = name === undefined ? undefined : printed.find(name);
    if (known !== undefined && clock.now() - known.issuedAt < TOKEN_KEPT_MS) return known;
    const { data, next } =
      known === undefined ? await slots.run(listing.key.applicationId, () => printData(listing, page)) : dataOf(known);
    const issuedAt = clock.now();
    const end = JSON.stringify(tokenBehind(listing, page, next)).replace('{', ',');
    const json = Buffer.concat([data, Buffer.from(end)]);
    const fresh = { json, dataBytes: data.byteLength, next, etag: etagOf(listing, page), issuedAt };
    if (name !== undefined) printed.offer(name, fresh);
    return fresh;
  }

  return {
    async list(account, snapshot, request, groupId) {
      const listing = open(account, snapshot, request);
      const page = await requestedPage(listing, groupId);
      const { lane } = page.reader;
      const { data, next } = await slots.run(lane, async () => {
        const { records, next } = await readRecords(listing, page);
        return { data: await presentRecords(records, page.point.query.displayZone, lane), next };
      });
      return { data, ...tokenBehind(listing, page, next), syncedAt: snapshot.syncedAt, etag: etagOf(listing, page) };
    },
    async print(account, snapshot, request) {
      const listing = open(account, snapshot, request);
      const page = await requestedPage(listing, undefined);
      const { json, etag } = await printPage(listing, page);
      return { json, syncedAt: snapshot.syncedAt, etag };
    },
  };
}

/** All of a page but the token behind it. */
interface PrintedData {
  readonly data: Uint8Array;
  readonly next: unknown;
}

async function printData(listing: Listing, page: PageRequest): Promise<PrintedData> {
  const { records, next } = await readRecords(listing, page);
  return {
    data: Buffer.from(`{"data":${await printRecords(records, page.point.query.displayZone, page.reader.lane)}`),
    next,
  };
}

function dataOf({ json, dataBytes, next }: PrintedPage): PrintedData {
  return { data: json.subarray(0, dataBytes), next };
}

interface Listing {
  readonly mirror: MirrorStore;
  readonly tokens: EventListTokens;
  readonly snapshot: MirrorSnapshot;
  readonly key: CollectionKey;
  readonly mappingVersion: number;
  readonly request: ListRequest;
}

/** A page that is asked for, its tokens opened and checked. */
interface PageRequest {
  readonly point: PagePoint<EventListQuery>;
  readonly reader: AnswerReader;
  /** Of a sync result: the answer that the client holds. */
  readonly since?: AnswerReader;
}

/** Everything that the records of a page depend on. The tag tells the revision from the same number in another history. */
function nameOf({ key, mappingVersion }: Listing, { point: { query, at, position, limit } }: PageRequest): string {
  const { applicationId, accountId, calendarId } = key;
  return JSON.stringify([applicationId, accountId, calendarId, mappingVersion, at, query, position ?? null, limit]);
}

async function requestedPage(listing: Listing, groupId: string | undefined): Promise<PageRequest> {
  const { mirror, snapshot, request } = listing;
  const { pageToken, syncToken } = request.query;
  if (pageToken !== undefined) return await continuePage(listing, pageToken, groupId);
  if (syncToken !== undefined) return await startSync(listing, syncToken, groupId);
  const { timeZone, revision } = snapshot.state;
  const query = {
    filters: compileFilters(request, timeZone, groupId),
    ...(request.query.orderBy === undefined ? {} : { order: request.query.orderBy }),
    ...(request.displayZone === undefined ? {} : { displayZone: request.displayZone }),
  };
  return {
    reader: createAnswerReader(mirror, snapshot.key, revision, timeZone),
    point: { query, at: revisionOf(snapshot.state), position: undefined, limit: request.limit ?? DEFAULT_LIMIT },
  };
}

async function continuePage(listing: Listing, token: string, groupId: string | undefined): Promise<PageRequest> {
  const { mirror, tokens, key, mappingVersion, request } = listing;
  const sealed = tokens.openPage(key, mappingVersion, token);
  const { state } = listing.snapshot;
  const timeZone = await requireRevision(mirror, key, sealed.at, state);
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
  if (sealed.since === undefined) return { reader, point };
  const sinceZone = await requireRevision(mirror, key, sealed.since, state);
  const before = createAnswerReader(mirror, key, sealed.since.revision, sinceZone);
  return { since: before, reader, point: { ...point, since: sealed.since } };
}

async function startSync(listing: Listing, token: string, groupId: string | undefined): Promise<PageRequest> {
  const { mirror, tokens, snapshot, key, mappingVersion, request } = listing;
  const sealed = tokens.openSync(key, mappingVersion, token);
  const timeZone = await requireRevision(mirror, key, sealed.at, snapshot.state);
  const wrong = contradictionOf(listing, sealed.query.filters, groupId, timeZone);
  if (wrong !== undefined) {
    const message = 'differs from the list that the syncToken was made by';
    throw new KalendsError('SyncTokenMismatch', `${wrong}: ${message}`, { details: [{ path: wrong, message }] });
  }
  checkOrder(request, sealed.query.filters);
  const before = createAnswerReader(mirror, key, sealed.at.revision, timeZone);
  const reader = createAnswerReader(mirror, key, snapshot.state.revision, snapshot.state.timeZone);
  const point = {
    query: shownIn(sealed.query, request),
    at: revisionOf(snapshot.state),
    position: undefined,
    limit: request.limit ?? DEFAULT_LIMIT,
    since: { ...sealed.at, timeZone, tokenHash: tokenHash(token) },
  };
  return { since: before, reader, point };
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

interface RecordPage {
  readonly records: readonly MemberChange[];
  /** Where the next page begins; undefined after the last. */
  readonly next: unknown;
}

async function readRecords(
  { mirror, key }: Listing,
  { point, reader: until, since }: PageRequest,
): Promise<RecordPage> {
  // Requests that arrive together begin one after the other, not all in one turn.
  await takeTurn(until.lane);
  if (since === undefined) {
    const { members, next } = await readPage(until, point);
    return { records: members.map((member) => ({ kind: 'present', member })), next };
  }
  const { filters } = point.query;
  const position = point.position as SyncPosition | undefined;
  const page = await readSyncPage(mirror, key, { since, until, filters, limit: point.limit, position });
  return { records: page.changes, next: page.next };
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

function etagOf({ tokens, key, mappingVersion }: Listing, { point }: PageRequest): string {
  return tokens.etagOf(key, mappingVersion, point);
}

function tokenBehind(listing: Listing, { point }: PageRequest, next: unknown) {
  return next === undefined ? lastPage(listing, point) : { nextPageToken: pageToken(listing, point, next) };
}

function pageToken({ tokens, key, mappingVersion }: Listing, point: PagePoint<EventListQuery>, position: unknown) {
  return tokens.sealPage(key, mappingVersion, { ...point, position });
}

function lastPage({ tokens, key, mappingVersion }: Listing, { query, at }: PagePoint<EventListQuery>) {
  const { order: _, ...remembered } = query;
  return { nextSyncToken: tokens.sealSync(key, mappingVersion, { query: remembered, at }) };
}
