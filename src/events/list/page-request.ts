import { invalid, KalendsError } from '../../errors.ts';
import type { MirrorSnapshot } from '../../mirror/index.ts';
import {
  canonicalJson,
  type PagePoint,
  requireRevision,
  revisionOf,
  type SyncPoint,
  tokenHash,
  type ViewTokens,
  zoneOfUnmoved,
} from '../../mirror/index.ts';
import type { CollectionKey, MirrorStore } from '../../ports/index.ts';
import { type AnswerReader, createAnswerReader } from '../read/answer-reader.ts';
import type { EventFilters } from '../read/event-filters.ts';
import { compileFilters, DEFAULT_LIMIT, type EventOrder, givenFilters, type ListRequest } from '../read/event-query.ts';
import { EMPTY_DIGEST } from './list-digest.ts';

/** Query sealed into the tokens of event lists. */
export interface SealedListQuery {
  readonly filters: EventFilters;
  readonly order?: EventOrder;
  readonly displayZone?: string;
}

export type EventListTokens = ViewTokens<SealedListQuery>;

/** A list of one calendar's events, as of the revision that its mirror has now. */
export interface Listing {
  readonly mirror: MirrorStore;
  readonly tokens: EventListTokens;
  readonly snapshot: MirrorSnapshot;
  readonly key: CollectionKey;
  readonly request: ListRequest;
}

/** A requested page, its tokens opened and checked. */
export interface PageRequest {
  readonly point: PagePoint<SealedListQuery>;
  readonly reader: AnswerReader;
  /** Of a sync result: the answer that the client holds. */
  readonly since?: AnswerReader;
}

/** Opens the tokens of a request and checks them against it. @throws KalendsError InvalidRequest, and of the tokens */
export async function readPageRequest(listing: Listing, groupId: string | undefined): Promise<PageRequest> {
  const { mirror, snapshot, request } = listing;
  const { pageToken, syncToken } = request.query;
  if (pageToken !== undefined) return await continuePage(listing, pageToken, groupId);
  if (syncToken !== undefined) return await startSync(listing, syncToken, groupId);
  if (request.query.verify === true) throw unverifiable();
  const { timeZone, revision } = snapshot.state;
  const query = {
    filters: compileFilters(request, timeZone, groupId),
    ...(request.query.orderBy === undefined ? {} : { order: request.query.orderBy }),
    ...(request.displayZone === undefined ? {} : { displayZone: request.displayZone }),
  };
  return {
    reader: createAnswerReader(mirror, snapshot.key, revision, timeZone),
    point: {
      query,
      at: revisionOf(snapshot.state),
      position: undefined,
      limit: request.limit ?? DEFAULT_LIMIT,
      ...(request.query.digest === true ? { digest: EMPTY_DIGEST } : {}),
    },
  };
}

async function continuePage(listing: Listing, token: string, groupId: string | undefined): Promise<PageRequest> {
  const { mirror, tokens, key, request } = listing;
  const sealed = tokens.openPage(key, token);
  const { state } = listing.snapshot;
  const timeZone = await requireRevision(mirror, key, sealed.at, state);
  const { syncToken } = request.query;
  const wrong =
    syncToken !== undefined && sealed.since?.tokenHash !== tokenHash(syncToken)
      ? 'syncToken'
      : (contradictionOf(listing, sealed, groupId, timeZone) ??
        (request.query.verify === undefined || request.query.verify === (sealed.verify ?? false)
          ? undefined
          : 'verify'));
  if (wrong !== undefined) {
    const message = 'differs from the list that the pageToken belongs to; leave it out, or list anew without the token';
    throw new KalendsError('InvalidPageToken', `${wrong}: ${message}`, { details: [{ path: wrong, message }] });
  }
  const point = { ...sealed, limit: request.limit ?? sealed.limit, query: shownIn(sealed.query, request) };
  const reader = createAnswerReader(mirror, key, sealed.at.revision, timeZone);
  if (sealed.since === undefined) return { reader, point };
  const sinceZone = await requireRevision(mirror, key, sealed.since, state);
  const before = createAnswerReader(mirror, key, sealed.since.revision, sinceZone);
  return { since: before, reader, point: { ...point, since: sealed.since } };
}

async function startSync(listing: Listing, token: string, groupId: string | undefined): Promise<PageRequest> {
  const { mirror, tokens, snapshot, key, request } = listing;
  const sealed = tokens.openSync(key, token);
  const timeZone =
    zoneOfUnmoved(sealed.at, snapshot.state) ?? (await requireRevision(mirror, key, sealed.at, snapshot.state));
  const wrong = contradictionOf(listing, sealed, groupId, timeZone);
  if (wrong !== undefined) {
    const message =
      'differs from the list that the syncToken was made by; leave it out, or list anew without the token';
    throw new KalendsError('SyncTokenMismatch', `${wrong}: ${message}`, { details: [{ path: wrong, message }] });
  }
  checkOrder(request, sealed.query.filters);
  const { digest } = sealed;
  if (request.query.verify === true && digest === undefined) throw unverifiable();
  const before = createAnswerReader(mirror, key, sealed.at.revision, timeZone);
  const reader = createAnswerReader(mirror, key, snapshot.state.revision, snapshot.state.timeZone);
  const point = {
    query: shownIn(sealed.query, request),
    at: revisionOf(snapshot.state),
    position: undefined,
    limit: request.limit ?? DEFAULT_LIMIT,
    since: { ...sealed.at, timeZone, tokenHash: tokenHash(token) },
    ...(digest === undefined ? {} : { digest }),
    ...(request.query.verify === true ? { verify: true as const } : {}),
  };
  return { since: before, reader, point };
}

function unverifiable(): KalendsError {
  return invalid('verify', 'must come with the syncToken of a list that was read with digest=true');
}

function checkOrder({ query }: ListRequest, { expand }: EventFilters): void {
  if (query.orderBy !== undefined && !expand) {
    throw invalid('orderBy', 'is only available with expandRecurrences=true');
  }
}

function contradictionOf(
  { request }: Listing,
  { query: { filters }, digest }: SyncPoint<SealedListQuery>,
  groupId: string | undefined,
  timeZone: string,
): string | undefined {
  if (filters.groupId !== groupId) return 'eventId';
  const asked = request.query.digest;
  // The digest is of no list in particular: a reader who is told that it alone differs takes the filters to be the same.
  return (
    contradiction(request, filters, timeZone) ??
    (asked !== undefined && asked !== (digest !== undefined) ? 'digest' : undefined)
  );
}

/** The display zone is no filter: the one that was sent now counts, else the one that was sent first. */
function shownIn(query: SealedListQuery, { displayZone }: ListRequest): SealedListQuery {
  return displayZone === undefined ? query : { ...query, displayZone };
}

/**
 * Returns the first parameter of a request that contradicts the filters a token was made with; undefined when none does.
 * Parameters that are left out contradict nothing, and a time that is written as it was then is the same time.
 */
function contradiction(
  { query, displayZone }: ListRequest,
  sealed: EventFilters,
  calendarZone: string,
): string | undefined {
  const given = givenFilters(query, displayZone ?? calendarZone);
  const { startDateTime, endDateTime, updatedAfter, expandRecurrences, search, metadataFilters } = query;
  const sameTime = (name: keyof NonNullable<EventFilters['written']>, text: string, at: number | null | undefined) =>
    sealed.written?.[name] === text || at === sealedTime(sealed, name);
  if (startDateTime !== undefined && !sameTime('startDateTime', startDateTime, given.from)) return 'startDateTime';
  if (endDateTime !== undefined && !sameTime('endDateTime', endDateTime, given.to)) return 'endDateTime';
  if (updatedAfter !== undefined && !sameTime('updatedAfter', updatedAfter, given.updatedAfter)) return 'updatedAfter';
  if (expandRecurrences !== undefined && expandRecurrences !== sealed.expand) return 'expandRecurrences';
  if (search !== undefined && given.search !== sealed.search) return 'search';
  if (query.isAllDay !== undefined && query.isAllDay !== sealed.isAllDay) return 'isAllDay';
  if (query.isCancelled !== undefined && query.isCancelled !== sealed.isCancelled) return 'isCancelled';
  const sameTypes = canonicalJson(given.eventTypes ?? null) === canonicalJson(sealed.eventTypes ?? null);
  if (query.eventTypes !== undefined && !sameTypes) return 'eventTypes';
  const sameMetadata = canonicalJson(given.metadata ?? null) === canonicalJson(sealed.metadata ?? null);
  return metadataFilters !== undefined && !sameMetadata ? 'metadataFilters' : undefined;
}

function sealedTime(sealed: EventFilters, name: 'startDateTime' | 'endDateTime' | 'updatedAfter') {
  if (name === 'startDateTime') return sealed.from;
  return name === 'endDateTime' ? sealed.to : sealed.updatedAfter;
}
