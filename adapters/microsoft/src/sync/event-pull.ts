import {
  type CalendarRef,
  type EventChange,
  type EventPage,
  type Logger,
  ProviderError,
  type ProviderSession,
} from 'kalends/ports';
import { readContextOf } from '../events/event-reading.ts';
import { createEventStore, type EventStore } from '../events/event-store.ts';
import type { ListedEvent } from '../events/event-wire.ts';
import { createObjectReader, type ObjectReader } from '../events/object-reader.ts';
import type { MicrosoftSettings } from '../options.ts';
import type { GraphClient } from '../transport/graph-client.ts';
import { beginFeed, type FeedAccess, isRunningOut, readFeed } from './change-feed.ts';
import type { TouchedObjects } from './delta-round.ts';
import type { FeedFailures } from './feed-failures.ts';
import { mapLimited } from './map-limited.ts';
import { type ChangeMark, changedSince, createChangeTracker, isRecent, isSeen, NO_MARK } from './recent-changes.ts';
import { parseSyncToken, printSyncToken, type SyncToken } from './sync-token.ts';

/** Leaves one of the mailbox's four slots to reads and writes. */
const PARALLEL_READS = 3;

/** Objects read again per page. */
const CHUNK = 50;

/** Above this number of removals, one list of the remaining objects is cheaper than a read of each. */
const MANY_REMOVALS = 20;

/** Context of a pull. */
interface PullContext {
  readonly graph: GraphClient;
  readonly settings: MicrosoftSettings;
  readonly session: ProviderSession;
  readonly calendar: CalendarRef;
  readonly failures: FeedFailures;
}

/** Pulls a calendar's events: whole without a token, and when the window of its feed runs out. */
export async function* pullEvents(context: PullContext, tokenText: string | null): AsyncGenerator<EventPage> {
  const token = tokenText === null ? undefined : parseSyncToken(tokenText);
  const isDue = token?.refusal === null && token.feed !== null && isRunningOut(context.settings, token.feed);
  if (token === undefined || isDue) yield* pullWhole(context);
  else yield* pullChanges(context, token);
}

const feedAccess = ({ calendar, ...context }: PullContext): FeedAccess => ({ ...context, calendarId: calendar.id });

/**
 * Begins the feed before listing the inventory: its next round reports concurrent changes, so that none is lost in between.
 */
async function* pullWhole(context: PullContext): AsyncGenerator<EventPage> {
  const { graph, settings, session, calendar } = context;
  const state = await beginFeed(feedAccess(context));
  const store = createEventStore(graph, settings, session, calendar.id);
  const reader = createObjectReader(store, readContextOf(settings, session, calendar));
  const tracker = createChangeTracker(NO_MARK);
  for await (const page of store.list({})) {
    for (const wire of page) if (!('kind' in wire)) tracker.note(wire);
    const changes = await mapLimited(page, PARALLEL_READS, (wire) => reader.complete(wire));
    if (changes.length > 0) yield { changes, full: true };
  }
  yield { changes: [], full: true, nextToken: printSyncToken({ v: 2, ...state, ...tracker.mark() }) };
}

/**
 * Collects the objects that the feed touched, then reads them again. A search for recent modifications adds changes outside
 * the feed's window and deletions of single occurrences, which the feed omits. While the feed is refused, the search alone
 * finds changes, and reconciliation the removals.
 */
async function* pullChanges(context: PullContext, token: SyncToken): AsyncGenerator<EventPage> {
  const { graph, settings, session, calendar } = context;
  const { touched = NOTHING, state } = await readFeed(feedAccess(context), token);
  const store = createEventStore(graph, settings, session, calendar.id);
  const reader = createObjectReader(store, readContextOf(settings, session, calendar));
  const recent = await listRecent(store, token, settings.logger, state.refusal !== null);
  const done = new Set(recent.events.map((item) => ('kind' in item ? item.providerEventId : item.id)));
  const removedIds = without(touched.removedIds, done, touched.seriesIds, touched.eventIds);
  const readRemoved = await removalReader(store, reader, removedIds);
  const tasks: (() => Promise<EventChange>)[] = [
    // Removals first: the whole series then overrides the removal of an exception.
    ...removedIds.map((id) => () => readRemoved(id)),
    ...recent.events.map((wire) => () => reader.complete(wire)),
    ...without(touched.seriesIds, done).map((id) => () => reader.readSeries(id)),
    ...without(touched.eventIds, done).map((id) => () => foundOrGone(reader, id)),
  ];
  for (let at = 0; at < tasks.length; at += CHUNK) {
    const changes = await mapLimited(tasks.slice(at, at + CHUNK), PARALLEL_READS, (task) => task());
    yield { changes, full: false };
  }
  yield { changes: [], full: false, nextToken: printSyncToken({ ...token, ...state, ...recent.mark }) };
}

const NOTHING: TouchedObjects = { seriesIds: new Set(), eventIds: new Set(), removedIds: new Set() };

async function foundOrGone(reader: ObjectReader, id: string): Promise<EventChange> {
  return (await reader.find(id)) ?? { kind: 'deleted', providerEventId: id };
}

/**
 * Returns the check of a removal: the item is deleted, or merely outside the window now. A GET decides; for many, as when a
 * long series was deleted with all its occurrences, one list of the remaining objects decides for all.
 */
async function removalReader(
  store: EventStore,
  reader: ObjectReader,
  removedIds: readonly string[],
): Promise<(id: string) => Promise<EventChange>> {
  if (removedIds.length <= MANY_REMOVALS) return (id) => foundOrGone(reader, id);
  const left = await store.listIds();
  return async (id) => (left.has(id) ? foundOrGone(reader, id) : { kind: 'deleted', providerEventId: id });
}

interface RecentChanges {
  readonly events: readonly ListedEvent[];
  readonly mark: ChangeMark;
}

/**
 * Lists the events modified since the mark of a token. A mailbox that cannot be searched has the feed and the engine's
 * reconciliation; while the feed is refused, all its events are listed and compared.
 */
async function listRecent(
  store: EventStore,
  token: SyncToken,
  logger: Logger | undefined,
  isOnlySource: boolean,
): Promise<RecentChanges> {
  try {
    return await collectRecent(store.list({ $filter: changedSince(token) }), token);
  } catch (error) {
    if (!(ProviderError.isInstance(error) && error.reason === 'invalid')) throw error;
    logger?.warn('recent changes cannot be listed', { status: error.status });
    return isOnlySource ? await collectRecent(store.list({}), token) : { events: [], mark: token };
  }
}

async function collectRecent(pages: AsyncIterable<readonly ListedEvent[]>, token: SyncToken): Promise<RecentChanges> {
  const tracker = createChangeTracker(token);
  const events: ListedEvent[] = [];
  for await (const page of pages) {
    for (const item of page) {
      const isWire = !('kind' in item);
      if (isWire) tracker.note(item);
      if (!isWire || (isRecent(token, item) && !isSeen(token, item))) events.push(item);
    }
  }
  return { events, mark: tracker.mark() };
}

function without(ids: ReadonlySet<string>, ...excluded: readonly ReadonlySet<string>[]): string[] {
  return [...ids].filter((id) => !excluded.some((set) => set.has(id)));
}
