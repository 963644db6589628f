import {
  type CalendarRef,
  type EventChange,
  type EventPage,
  LONGEST_MIRRORED_DESCRIPTION,
  type Logger,
  ProviderError,
  type ProviderEvent,
  type ProviderSession,
} from 'kalends/ports';
import { mapInTurns } from 'kalends/runtime';
import { isGone as isMissing } from '../transport/google-failure.ts';
import { type EventCalls, LARGEST_PAGE } from './event-calls.ts';
import { isGone, isSeries, type ReadContext, readChange, readEvent, seriesOf } from './event-reading.ts';
import type { WireEvent, WireEventList } from './event-wire.ts';

/** Reads events of calendars: the feed, single objects, whole series. */
export interface EventPull {
  pull(session: ProviderSession, calendar: CalendarRef, token: string | null): AsyncIterable<EventPage>;
  get(session: ProviderSession, calendar: CalendarRef, providerEventId: string): Promise<readonly EventChange[]>;
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
  const contextOf = ({ accountId }: ProviderSession, calendarZone: string): ReadContext => ({
    calendarZone,
    noteUnreadable({ id }, { reason }) {
      logger?.warn('a recurrence line cannot be read and is passed over', { accountId, providerEventId: id, reason });
    },
  });

  async function readSeries(
    session: ProviderSession,
    calendar: CalendarRef,
    master: WireEvent,
    written?: WireEvent,
  ): Promise<EventChange> {
    const instances = new Map<string, WireEvent>();
    let zone = calendar.timeZone;
    // The uid belongs to the whole series; a half that was split off may share it, hence the check of the series id.
    const query = { iCalUID: master.iCalUID ?? '', showDeleted: true, maxResults: LARGEST_PAGE };
    for await (const page of calls.list(session, calendar.id, query)) {
      zone = page.timeZone ?? zone;
      for (const item of page.items) {
        if (seriesOf(item) === master.id) instances.set(item.id, item);
      }
    }
    if (written !== undefined && !isShown(written, instances.get(written.id))) instances.set(written.id, written);
    const context = contextOf(session, zone);
    const exceptions: readonly ProviderEvent[] = await mapInTurns([...instances.values()], (item) =>
      readEvent(item, context),
    );
    return { kind: 'series', master: readEvent(master, context), exceptions };
  }

  return {
    readSeries,

    async *pull(session, calendar, token) {
      // Every parameter but the token must be the same in later pulls, or Google refuses the token.
      const query = { singleEvents: false, showDeleted: true, maxResults: pageSize, syncToken: token ?? undefined };
      for await (const page of calls.list(session, calendar.id, query)) {
        noteLongDescriptions(logger, session, page);
        yield await readPage(page, contextOf(session, page.timeZone ?? calendar.timeZone), token === null);
      }
    },

    async get(session, calendar, providerEventId) {
      let wire: WireEvent;
      try {
        wire = await calls.get(session, calendar.id, providerEventId);
      } catch (error) {
        if (!isMissing(error)) throw error;
        await requireCalendar(calls, session, calendar.id);
        return [{ kind: 'deleted', providerEventId }];
      }
      if (isGone(wire)) return [{ kind: 'deleted', providerEventId }];
      if (isSeries(wire)) return [await readSeries(session, calendar, wire)];
      return [readChange(wire, contextOf(session, calendar.timeZone))];
    },
  };
}

/** Returns true when a list shows a write: the same version, a later one, or the cancellation. */
function isShown(written: WireEvent, listed: WireEvent | undefined): boolean {
  if (listed === undefined) return false;
  if (written.status === 'cancelled') return listed.status === 'cancelled';
  if (listed.etag === written.etag) return true;
  return Date.parse(listed.updated ?? '') > Date.parse(written.updated ?? '');
}

async function readPage(page: WireEventList, context: ReadContext, full: boolean): Promise<EventPage> {
  const isLast = page.nextPageToken == null;
  if (isLast && page.nextSyncToken == null) {
    throw new ProviderError('malformed', 'Google ended a list of events without a sync token');
  }
  return {
    changes: await mapInTurns(page.items, (item) => readChange(item, context)),
    full,
    ...(page.timeZone == null ? {} : { calendarTimeZone: page.timeZone }),
    ...(isLast && page.nextSyncToken != null ? { nextToken: page.nextSyncToken } : {}),
  };
}

function noteLongDescriptions(logger: Logger | undefined, { accountId }: ProviderSession, page: WireEventList): void {
  for (const { id, description } of page.items) {
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
