import type { PageJson, SyncPage as PublicPage } from '../../engine-interface.ts';
import { type MirrorSnapshot, type PagePoint, revisionText } from '../../mirror/index.ts';
import type { CalendarEvent, DeletedEvent } from '../../model/index.ts';
import type { Clock, MirrorStore } from '../../ports/index.ts';
import { createFairSlots, takeTurn } from '../../runtime/index.ts';
import type { AnswerReader } from '../read/answer-reader.ts';
import type { ListRequest } from '../read/event-query.ts';
import { advancedDigest, digestOfList } from './list-digest.ts';
import { type ListPosition, readPageByGroup } from './page-by-group.ts';
import { readPageByStart, readPageByUpdate, type StartPosition, type UpdatedPosition } from './page-by-order.ts';
import { createPageCache } from './page-cache.ts';
import { presentRecords, writeRecords } from './page-records.ts';
import {
  type EventListTokens,
  type Listing,
  type PageRequest,
  readPageRequest,
  type SealedListQuery,
} from './page-request.ts';
import { PAGE_CHARACTERS, type PageLimit } from './page-size.ts';
import { type RecordChange, readSyncPage, type SyncPosition } from './sync-page.ts';
import { createTextBytes, type TextBytes } from './text-bytes.ts';

type EventPage = PublicPage<CalendarEvent | DeletedEvent>;

/** Lists of one calendar's events: pages of an answer as of a revision, and of the difference of two. */
export interface EventListing {
  list(snapshot: MirrorSnapshot, request: ListRequest, groupId?: string): Promise<EventPage>;
  /** Returns the same page as JSON. Repeated pages are cached. */
  serialize(snapshot: MirrorSnapshot, request: ListRequest): Promise<PageJson>;
}

/** A page with the token behind it, which says when it was issued. */
interface SerializedPage {
  readonly json: Uint8Array<ArrayBuffer>;
  /** Bytes before the token. */
  readonly dataBytes: number;
  readonly rest: Rest;
  readonly etag: string;
  readonly issuedAt: number;
}

/** Size of the page cache: about a hundred pages of 250 events. */
const CACHE_BYTES = 32 * 2 ** 20;
/** Reuse a sealed token for a minute (its lifetime is 30 days). */
const TOKEN_REUSED_MS = 60_000;
/** Concurrent pages: each may hold a thousand records, and a large heap has long pauses of garbage collection. */
const PAGES_AT_ONCE = 8;
/** Concurrent full reads that verify a digest: they must not wait in the way of pages. */
const VERIFICATIONS_AT_ONCE = 2;

export function createEventListing(mirror: MirrorStore, tokens: EventListTokens, clock: Clock): EventListing {
  const slots = createFairSlots(PAGES_AT_ONCE);
  const verificationSlots = createFairSlots(VERIFICATIONS_AT_ONCE);
  const cache = createPageCache<SerializedPage>(CACHE_BYTES);
  const open = (snapshot: MirrorSnapshot, request: ListRequest): Listing => ({
    mirror,
    tokens,
    snapshot,
    key: snapshot.key,
    request,
  });

  async function serializePage(listing: Listing, page: PageRequest): Promise<SerializedPage> {
    const name = page.since === undefined ? nameOf(listing, page) : undefined;
    const known = name === undefined ? undefined : cache.find(name);
    if (known !== undefined && clock.now() - known.issuedAt < TOKEN_REUSED_MS) return known;
    const { bytes, rest } =
      known === undefined
        ? await slots.run(listing.key.applicationId, () => serializeData(listing, page))
        : dataOf(known);
    const verified = await verify(page, rest);
    const issuedAt = clock.now();
    const dataBytes = bytes.length;
    bytes.write(JSON.stringify(endOf(listing, page, verified)).replace('{', ','));
    const fresh = { json: bytes.take(), dataBytes, rest, etag: etagOf(listing, page), issuedAt };
    if (name !== undefined) cache.offer(name, fresh);
    return fresh;
  }

  /** Compares the digest of a last page with that of the whole list, which then is told, if the request asks for it. */
  async function verify({ point, reader }: PageRequest, rest: Rest): Promise<VerifiedRest> {
    if (point.verify !== true || rest.next !== undefined) return rest;
    const digest = await verificationSlots.run(reader.lane, () => digestOfList(reader, point.query.filters));
    return { ...rest, digest, isVerified: digest === rest.digest };
  }

  return {
    async list(snapshot, request, groupId) {
      const listing = open(snapshot, request);
      const page = await readPageRequest(listing, groupId);
      const { lane } = page.reader;
      const { data, rest } = await slots.run(lane, async () => {
        const { records, rest } = await readRecords(listing, page);
        return { data: await presentRecords(records, page.point.query.displayZone, lane), rest };
      });
      const end = endOf(listing, page, await verify(page, rest));
      const { syncedAt, pollEveryMs } = snapshot;
      return { data, ...end, syncedAt, pollEveryMs, etag: etagOf(listing, page) };
    },
    async serialize(snapshot, request) {
      const listing = open(snapshot, request);
      const page = await readPageRequest(listing, undefined);
      const { json, etag } = await serializePage(listing, page);
      return { json, syncedAt: snapshot.syncedAt, pollEveryMs: snapshot.pollEveryMs, etag };
    },
  };
}

/** The rest of a list behind a page. */
interface Rest {
  /** Where the next page begins; undefined after the last. */
  readonly next: unknown;
  /** Digest of what the client holds after the page, where it asked for it. */
  readonly digest?: string;
}

/** The rest behind a page whose digest was compared, if the request asks for it. */
interface VerifiedRest extends Rest {
  readonly isVerified?: boolean;
}

/** All of a page but the tokens behind it. */
interface SerializedData {
  readonly bytes: TextBytes;
  readonly rest: Rest;
}

async function serializeData(listing: Listing, page: PageRequest): Promise<SerializedData> {
  const { records, rest } = await readRecords(listing, page);
  const bytes = createTextBytes();
  bytes.write('{"data":');
  await writeRecords(bytes, records, page.point.query.displayZone, page.reader.lane);
  return { bytes, rest };
}

function dataOf({ json, dataBytes, rest }: SerializedPage): SerializedData {
  return { bytes: createTextBytes(json.subarray(0, dataBytes)), rest };
}

/** Everything that the records of a page depend on. The tag tells the revision from the same number in another history. */
function nameOf({ key }: Listing, { point }: PageRequest): string {
  const { query, at, position, limit, digest } = point;
  const { applicationId, accountId, calendarId } = key;
  return JSON.stringify([applicationId, accountId, calendarId, at, query, position ?? null, limit, digest]);
}

interface ChangePage {
  readonly records: readonly RecordChange[];
  readonly rest: Rest;
}

async function readRecords(listing: Listing, page: PageRequest): Promise<ChangePage> {
  const { records, next } = await readChanges(listing, page);
  const { digest } = page.point;
  if (digest === undefined) return { records, rest: { next } };
  return { records, rest: { next, digest: await advancedDigest(digest, records, page.reader.lane) } };
}

async function readChanges(
  { mirror, key }: Listing,
  { point, reader: until, since }: PageRequest,
): Promise<{ readonly records: readonly RecordChange[]; readonly next: unknown }> {
  // Requests that arrive together begin one after the other, not all in one turn.
  await takeTurn(until.lane);
  const limit: PageLimit = { records: point.limit, characters: PAGE_CHARACTERS };
  if (since === undefined) {
    const { records, next } = await readPage(until, point, limit);
    return { records: records.map((record) => ({ kind: 'present', record })), next };
  }
  const { filters } = point.query;
  const position = point.position as SyncPosition | undefined;
  const tag = point.since?.tag;
  const page = await readSyncPage(mirror, key, { since, tag, until, filters, limit, position });
  return { records: page.changes, next: page.next };
}

/** Only this module seals positions, each under the order that it belongs to. */
function readPage(reader: AnswerReader, { query, position }: PagePoint<SealedListQuery>, limit: PageLimit) {
  const { filters, order } = query;
  // Only an expanded answer has an order.
  if (order === undefined || !filters.expand) {
    return readPageByGroup(reader, filters, limit, position as ListPosition | undefined);
  }
  if (order === 'startDateTime') {
    return readPageByStart(reader, filters, limit, position as StartPosition | undefined);
  }
  return readPageByUpdate(reader, filters, limit, position as UpdatedPosition | undefined);
}

function etagOf({ tokens, key }: Listing, { point }: PageRequest): string {
  return tokens.etagOf(key, point);
}

/** Returns the fields behind the records of a page. */
function endOf(listing: Listing, { point, reader }: PageRequest, { next, ...told }: VerifiedRest) {
  return next === undefined
    ? lastPage(listing, point, reader.timeZone, told)
    : { nextPageToken: pageToken(listing, { ...point, position: next, ...told }) };
}

function pageToken({ tokens, key }: Listing, point: PagePoint<SealedListQuery>) {
  return tokens.sealPage(key, point);
}

function lastPage(
  { tokens, key }: Listing,
  { query, at }: PagePoint<SealedListQuery>,
  timeZone: string,
  { digest, isVerified }: Omit<VerifiedRest, 'next'>,
) {
  const { order: _, ...remembered } = query;
  const known = digest === undefined ? {} : { digest };
  return {
    nextSyncToken: tokens.sealSync(key, { query: remembered, at: { ...at, timeZone }, ...known }),
    revision: revisionText(at),
    ...known,
    ...(isVerified === undefined ? {} : { isVerified }),
  };
}
