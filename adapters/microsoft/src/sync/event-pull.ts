import {
  type CalendarRef,
  type EventChange,
  type EventPage,
  type GetOptions,
  type Logger,
  ProviderError,
  type ProviderSession,
  type PullKnowledge,
} from 'kalends/ports';
import { readContextOf } from '../events/event-reading.ts';
import { createEventStore, type EventStore } from '../events/event-store.ts';
import type { ListedEvent } from '../events/event-wire.ts';
import { createObjectReader, type ObjectReader } from '../events/object-reader.ts';
import type { MicrosoftSettings } from '../options.ts';
import type { GraphClient } from '../transport/graph-client.ts';
import { beginFeed, type FeedAccess, isRunningOut, readFeed } from './change-feed.ts';
import type { TouchedObjects } from './delta-round.ts';
import { mapLimited } from './map-limited.ts';
import { mirroredGroups } from './mirrored-groups.ts';
import {
  type ChangeMark,
  changedSince,
  createChangeTracker,
  isRecent,
  isSeen,
  markOf,
  NO_MARK,
} from './recent-changes.ts';
import { sourcesToAsk } from './sources.ts';
import { parseSyncToken, printSyncToken, type SyncToken } from './sync-token.ts';

/** Leaves one of the mailbox's four slots to reads and writes. */
const PARALLEL_READS = 3;

/** Objects read again per page. */
const CHUNK = 50;

/** Above this number of removals, lists of the remaining objects are cheaper than a read of each. */
const MANY_REMOVALS = 20;

/** Context of a pull. */
interface PullContext {
  readonly graph: GraphClient;
  readonly settings: MicrosoftSettings;
  readonly session: ProviderSession;
  readonly calendar: CalendarRef;
  readonly known: PullKnowledge | undefined;
}

/** Pulls a calendar's events: whole without a token, and when the window of its feed runs out. */
export async function* pullEvents(context: PullContext, tokenText: string | null): AsyncGenerator<EventPage> {
  const token = tokenText === null ? undefined : parseSyncToken(tokenText);
  const isDue = token?.refusal === null && token.feed !== null && isRunningOut(context.settings, token.feed);
  if (token === undefined || isDue) yield* pullWhole(context);
  else yield* pullChanges(context, token);
}

const feedAccess = ({ calendar, known, ...context }: PullContext): FeedAccess => ({
  ...context,
  calendarId: calendar.id,
  failures: known?.failures ?? 0,
});

/**
 * Begins the feed before listing the inventory: its next round reports concurrent changes, so that none is lost in between.
 */
async function* pullWhole(context: PullContext): AsyncGenerator<EventPage> {
  const { graph, settings, session, calendar } = context;
  const startedAt = settings.clock.now();
  const state = await beginFeed(feedAccess(context));
  const store = createEventStore(graph, settings, session, calendar.id);
  const reader = createObjectReader(store, readContextOf(settings, session, calendar));
  const tracker = createChangeTracker(NO_MARK, startedAt);
  const shown = new Set<string>();
  let pages = 0;
  for await (const page of store.list({})) {
    pages += 1;
    for (const item of page) {
      shown.add(idOfListed(item));
      if (!('kind' in item)) tracker.note(item);
    }
    const changes = await mapLimited(page, PARALLEL_READS, (wire) => reader.complete(wire));
    if (changes.length > 0) yield { changes, full: true };
  }
  // A deletion meanwhile hides an event that has not changed, which no later pull would show.
  const hidden = pages > 1 ? without((await store.listIds(shown)).all, shown) : [];
  for (let at = 0; at < hidden.length; at += CHUNK) {
    const found = await mapLimited(hidden.slice(at, at + CHUNK), PARALLEL_READS, (id) => reader.find(id));
    yield { changes: found.filter((change) => change !== undefined), full: true };
  }
  const askedAt = { feed: startedAt, search: startedAt };
  yield { changes: [], full: true, nextToken: printSyncToken({ v: 2, ...state, askedAt, ...tracker.mark() }) };
}

/**
 * Collects the objects that the feed touched, then reads those again that the mirror has in another version. A search for
 * recent modifications adds changes outside the feed's window and deletions of single occurrences, which the feed omits. While
 * the feed is refused, the search alone finds changes, and reconciliation the removals. A poll asks one of the two, and the
 * search also when the feed shows an event that is new to the mirror.
 * @throws ProviderError sync-token-expired, also when a feed that had to be begun anew is back
 */
async function* pullChanges(context: PullContext, token: SyncToken): AsyncGenerator<EventPage> {
  const { graph, settings, session, calendar, known } = context;
  const startedAt = settings.clock.now();
  const sources = sourcesToAsk(token, known);
  const { touched = NOTHING, state } = sources.feed ? await readFeed(feedAccess(context), token) : { state: token };
  if (token.feed === null && state.feed !== null) {
    // Nothing has told of removals since the feed was refused: only a whole pull finds them now.
    throw new ProviderError(
      'sync-token-expired',
      'the change feed of the calendar is back, without what was removed meanwhile',
    );
  }
  const mirrored = await mirroredGroups(touched.objects, known);
  const seriesIds = without(touched.seriesIds, mirrored, touched.removedIds);
  const eventIds = without(touched.eventIds, mirrored);
  const isSearched = sources.search || state.refusal !== null || seriesIds.length > 0 || eventIds.length > 0;
  const store = createEventStore(graph, settings, session, calendar.id);
  const reader = createObjectReader(store, readContextOf(settings, session, calendar));
  const search = { mark: markOf(token, startedAt), requestedAt: startedAt, isOnlySource: state.refusal !== null };
  const recent = isSearched ? await listRecent(store, search, settings.logger) : { events: [], mark: search.mark };
  const changed = await withoutMirroredSeries(recent.events, known);
  const done = new Set(changed.map(idOfListed));
  const present = new Set(recent.events.map(idOfListed));
  const removedIds = without(touched.removedIds, present);
  const readRemoved = await removalReader(store, reader, removedIds);
  const tasks: (() => Promise<EventChange>)[] = [
    // Removals first: the whole series then overrides the removal of an exception.
    ...removedIds.map((id) => () => readRemoved(id)),
    ...changed.map((wire) => () => reader.complete(wire)),
    ...without(seriesIds, done).map((id) => () => reader.readSeries(id)),
    ...without(eventIds, done).map((id) => () => foundOrGone(reader, id)),
  ];
  for (let at = 0; at < tasks.length; at += CHUNK) {
    const changes = await mapLimited(tasks.slice(at, at + CHUNK), PARALLEL_READS, (task) => task());
    yield { changes, full: false };
  }
  const askedAt = {
    feed: sources.feed ? startedAt : token.askedAt.feed,
    search: isSearched ? startedAt : token.askedAt.search,
  };
  const completeAt = Math.min(askedAt.feed, askedAt.search);
  const nextToken = printSyncToken({ ...token, ...state, askedAt, ...recent.mark });
  yield { changes: [], full: false, nextToken, ...(completeAt < startedAt ? { completeAt } : {}) };
}

const idOfListed = (item: ListedEvent): string => ('kind' in item ? item.providerEventId : item.id);

/** Drops series masters in the version that the mirror has: a master's tag changes with each change of its series. */
async function withoutMirroredSeries(
  events: readonly ListedEvent[],
  known: PullKnowledge | undefined,
): Promise<readonly ListedEvent[]> {
  const masters = events.flatMap((item) => {
    if ('kind' in item || item.type !== 'seriesMaster') return [];
    return [{ id: item.id, groupId: item.id, isPlain: false, tag: item['@odata.etag'] ?? undefined }];
  });
  const mirrored = await mirroredGroups(masters, known);
  return events.filter((item) => !mirrored.has(idOfListed(item)));
}

const NOTHING: TouchedObjects = { seriesIds: new Set(), eventIds: new Set(), objects: [], removedIds: new Set() };

async function foundOrGone(reader: ObjectReader, id: string, options?: GetOptions): Promise<EventChange> {
  return (await reader.find(id, options)) ?? { kind: 'deleted', providerEventId: id };
}

/**
 * Returns the check of a removal: the item is deleted, or merely outside the window now. A GET decides; for many, as when a
 * long series was deleted with all its occurrences, lists of the remaining objects decide for all. Only an id that the last of
 * them lacks, deleted meanwhile or hidden, is looked for again.
 */
async function removalReader(
  store: EventStore,
  reader: ObjectReader,
  removedIds: readonly string[],
): Promise<(id: string) => Promise<EventChange>> {
  if (removedIds.length <= MANY_REMOVALS) return (id) => foundOrGone(reader, id, { mustBeListed: true });
  const left = await store.listIds();
  return async (id) =>
    left.all.has(id)
      ? foundOrGone(reader, id, { mustBeListed: !left.last.has(id) })
      : { kind: 'deleted', providerEventId: id };
}

/** A search for recent modifications. */
interface Search {
  /** Where it begins. */
  readonly mark: ChangeMark;
  readonly requestedAt: number;
  /** Whether the feed is refused. */
  readonly isOnlySource: boolean;
}

interface RecentChanges {
  readonly events: readonly ListedEvent[];
  readonly mark: ChangeMark;
}

/**
 * Lists the events modified since a mark. A mailbox that cannot be searched has the feed and the engine's
 * reconciliation; while the feed is refused, all its events are listed and compared.
 */
async function listRecent(store: EventStore, search: Search, logger: Logger | undefined): Promise<RecentChanges> {
  try {
    return await collectRecent(store.list({ $filter: changedSince(search.mark) }), search);
  } catch (error) {
    if (!(ProviderError.isInstance(error) && error.reason === 'invalid')) throw error;
    logger?.warn('recent changes cannot be listed', { status: error.status });
    return search.isOnlySource ? await collectRecent(store.list({}), search) : { events: [], mark: search.mark };
  }
}

async function collectRecent(
  pages: AsyncIterable<readonly ListedEvent[]>,
  { mark, requestedAt }: Search,
): Promise<RecentChanges> {
  const tracker = createChangeTracker(mark, requestedAt);
  const events: ListedEvent[] = [];
  for await (const page of pages) {
    for (const item of page) {
      const isWire = !('kind' in item);
      if (isWire) tracker.note(item);
      if (!isWire || (isRecent(mark, item) && !isSeen(mark, item))) events.push(item);
    }
  }
  return { events, mark: tracker.mark() };
}

function without(ids: Iterable<string>, ...excluded: readonly ReadonlySet<string>[]): string[] {
  return [...ids].filter((id) => !excluded.some((set) => set.has(id)));
}
