import {
  type CalendarRef,
  type EventChange,
  type EventPage,
  LONGEST_MIRRORED_DESCRIPTION,
  type Logger,
  ProviderError,
  type ProviderFailureReason,
  type ProviderSession,
  separateUnreadable,
} from 'kalends/ports';
import { inParallel, mapInTurns } from 'kalends/runtime';
import { resolveZone } from 'kalends/zones';
import { isGone as isMissing } from '../transport/google-failure.ts';
import { type EventCalls, LARGEST_PAGE } from './event-calls.ts';
import { isGone, isSeries, type ReadContext, readChange, readEvent, readListed, seriesOf } from './event-reading.ts';
import type { ListedEvent, WireEvent, WireEventList } from './event-wire.ts';
import { createSeriesOrder } from './series-order.ts';

/** Failures of a read that are about the event, where those of the account or of Google end a pull. */
const UNTOLD: ReadonlySet<ProviderFailureReason> = new Set([
  'not-found',
  'forbidden',
  'invalid',
  'malformed',
  'unreadable',
]);

/** Reads events of calendars: the feed, single objects, whole series. */
export interface EventPull {
  pull(session: ProviderSession, calendar: CalendarRef, token: string | null): AsyncIterable<EventPage>;
  get(session: ProviderSession, calendar: CalendarRef, providerEventId: string): Promise<readonly EventChange[]>;
  /** Reads an event, a deleted one too; empty where there was none. */
  find(session: ProviderSession, calendar: CalendarRef, providerEventId: string): Promise<readonly EventChange[]>;
  /** Finds the id of an event by its UID, that of a deleted one where there is no other. */
  findIdByUid(session: ProviderSession, calendar: CalendarRef, iCalUid: string): Promise<string | undefined>;
  /** Finds an event by its UID, a deleted one too; empty without one. */
  findByUid(session: ProviderSession, calendar: CalendarRef, iCalUid: string): Promise<readonly EventChange[]>;
  /**
   * Reads a series again. `written` is the answer of a preceding write to it, which overrides a list that does not show it
   * yet.
   */
  readSeries(
    session: ProviderSession,
    calendar: CalendarRef,
    master: WireEvent,
    written?: WireEvent,
  ): Promise<EventChange>;
}

export function createEventPull(
  calls: EventCalls,
  { pageSize, logger }: { readonly pageSize: number; readonly logger: Logger | undefined },
): EventPull {
  /**
   * Reads instances again that are listed without their series. Their ids need not name it: where Google itself split a
   * series, ids of the second half begin with the id of the first. A read that tells no more leaves an instance as listed.
   */
  async function completed(
    session: ProviderSession,
    calendar: CalendarRef,
    listed: readonly ListedEvent[],
  ): Promise<readonly ListedEvent[]> {
    const items = [...listed];
    await inParallel([...listed.entries()].filter(isStub), async ([index, { id }]) => {
      try {
        items[index] = await calls.get(session, calendar.id, id);
      } catch (error) {
        if (!tellsNoMore(error)) throw error;
      }
    });
    return items;
  }

  async function readSeries(
    session: ProviderSession,
    calendar: CalendarRef,
    master: WireEvent,
    written?: WireEvent,
  ): Promise<EventChange> {
    const instances = new Map<string, ListedEvent>();
    let zone = calendar.timeZone;
    // The uid belongs to the whole series; a half that was split off may share it, hence the check of the series id.
    const query = { iCalUID: master.iCalUID ?? '', showDeleted: true, maxResults: LARGEST_PAGE };
    for await (const page of calls.list(session, calendar.id, query)) {
      zone = zoneOf(page) ?? zone;
      for (const item of await completed(session, calendar, page.items)) {
        if ('kind' in item) {
          if (item.seriesId === master.id) instances.set(item.providerEventId, item);
        } else if (seriesOf(item) === master.id) instances.set(item.id, item);
      }
    }
    if (written !== undefined && !isShown(written, instances.get(written.id))) instances.set(written.id, written);
    const context = { calendarZone: zone };
    const read = await mapInTurns([...instances.values()], (item) => readListed(item, context));
    const { readable: exceptions, unreadable } = separateUnreadable(read);
    return {
      kind: 'series',
      master: readEvent(master, context),
      exceptions,
      ...(unreadable.length > 0 && { unreadable }),
    };
  }

  const find: EventPull['find'] = async (session, calendar, providerEventId) => {
    try {
      const wire = await calls.get(session, calendar.id, providerEventId);
      if (!isGone(wire) && isSeries(wire)) return [await readSeries(session, calendar, wire)];
      return [readChange(wire, { calendarZone: calendar.timeZone })];
    } catch (error) {
      if (isUnreadable(error)) return [{ kind: 'unreadable', providerEventId, seriesId: null, reason: error.message }];
      if (!isMissing(error)) throw error;
      await requireCalendar(calls, session, calendar.id);
      return [];
    }
  };

  const get: EventPull['get'] = async (session, calendar, providerEventId) => {
    const found = await find(session, calendar, providerEventId);
    const changes: readonly EventChange[] = found.length > 0 ? found : [{ kind: 'deleted', providerEventId }];
    // A guest may have been taken off a series and still be invited to some of its occurrences.
    return changes.map((change) => (change.kind === 'deleted' ? { ...change, exceptionsMayStay: true } : change));
  };

  const findIdByUid: EventPull['findIdByUid'] = async (session, calendar, iCalUid) => {
    const query = { iCalUID: iCalUid, showDeleted: true, maxResults: LARGEST_PAGE };
    let deletedId: string | undefined;
    for await (const { items } of calls.list(session, calendar.id, query)) {
      for (const item of items) {
        if (('kind' in item ? item.seriesId : item.recurringEventId) != null) continue;
        if ('kind' in item) return item.providerEventId;
        if (item.status !== 'cancelled') return item.id;
        deletedId ??= item.id;
      }
    }
    return deletedId;
  };

  return {
    readSeries,
    get,
    find,
    findIdByUid,

    async *pull(session, calendar, token) {
      // Every parameter but the token must be the same in later pulls, or Google refuses the token.
      const query = { singleEvents: false, showDeleted: true, maxResults: pageSize, syncToken: token ?? undefined };
      const inOrder = createSeriesOrder();
      for await (const page of calls.list(session, calendar.id, query)) {
        noteLongDescriptions(logger, session, page);
        const { items, rereads } = inOrder(await completed(session, calendar, page.items));
        const context = { calendarZone: zoneOf(page) ?? calendar.timeZone };
        const read = await readPage({ ...page, items }, context, token === null);
        yield { ...read, changes: [...read.changes, ...rereads] };
      }
    },

    async findByUid(session, calendar, iCalUid) {
      const id = await findIdByUid(session, calendar, iCalUid);
      return id === undefined ? [] : get(session, calendar, id);
    },
  };
}

/** Returns true when a list shows a write: the same version, a later one, or the cancellation. */
function isShown(written: WireEvent, listed: ListedEvent | undefined): boolean {
  if (listed === undefined || 'kind' in listed) return false;
  if (written.status === 'cancelled') return listed.status === 'cancelled';
  if (listed.etag === written.etag) return true;
  return Date.parse(listed.updated ?? '') > Date.parse(written.updated ?? '');
}

async function readPage(page: WireEventList, context: ReadContext, full: boolean): Promise<EventPage> {
  const pageZone = zoneOf(page);
  const isLast = page.nextPageToken == null;
  if (isLast && page.nextSyncToken == null) {
    throw new ProviderError('malformed', 'Google ended a list of events without a sync token');
  }
  return {
    changes: await mapInTurns(page.items, (item) => readChange(item, context)),
    full,
    ...(pageZone === undefined ? {} : { calendarTimeZone: pageZone }),
    ...(isLast && page.nextSyncToken != null ? { nextToken: page.nextSyncToken } : {}),
  };
}

/** Returns the zone that a page names, unless it is unknown. */
function zoneOf({ timeZone }: WireEventList): string | undefined {
  return timeZone == null ? undefined : resolveZone(timeZone);
}

/** Returns true for an instance that is listed with little more than its id, as entries of a page have it. */
function isStub(entry: [number, ListedEvent]): entry is [number, WireEvent] {
  const [, item] = entry;
  return !('kind' in item) && item.recurringEventId == null && seriesOf(item) !== null;
}

/** Returns true when Google answered for this one event, without telling it: another read would fare no better. */
function tellsNoMore(error: unknown): boolean {
  return ProviderError.isInstance(error) && UNTOLD.has(error.reason);
}

function isUnreadable(error: unknown): error is ProviderError {
  return ProviderError.isInstance(error) && error.reason === 'unreadable';
}

function noteLongDescriptions(logger: Logger | undefined, { accountId }: ProviderSession, page: WireEventList): void {
  for (const item of page.items) {
    if ('kind' in item) continue;
    const { id, description } = item;
    const length = description?.length ?? 0;
    if (length > LONGEST_MIRRORED_DESCRIPTION) {
      logger?.info('only the beginning of a description is mirrored', { accountId, providerEventId: id, length });
    }
  }
}

/** Checks that the calendar exists: Google answers 404 for a missing event too. @throws ProviderError not-found */
async function requireCalendar(calls: EventCalls, session: ProviderSession, calendarId: string): Promise<void> {
  const pages = calls.list(session, calendarId, { maxResults: 1 });
  await pages[Symbol.asyncIterator]().next();
}
