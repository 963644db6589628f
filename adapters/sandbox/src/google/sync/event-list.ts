import { notFound } from '../api/google-error.ts';
import type { Json, WireEvent, WireTime } from '../api/wire.ts';
import type { AccessedCalendar } from '../calendars/calendar-access.ts';
import type { EventView } from '../events/event-render.ts';
import { findEvent } from '../events/event-store.ts';
import type { Range } from '../events/series.ts';
import { etagOf, type GoogleContext, isoInstant } from '../google-context.ts';
import type { ListEntry, StoredCalendar, StoredEvent } from '../google-state.ts';
import { changesSince } from './changed-events.ts';
import type { EventQuery } from './event-query.ts';
import {
  type Bounds,
  byOriginalStart,
  isWithin,
  type Listed,
  listedEvent,
  orderKey,
  passesFilters,
  seriesMembers,
} from './list-members.ts';
import { cutPage, openPage, openSync, sealPage, sealSync } from './tokens.ts';

/** Google expands an endless series only so far when a list has no upper bound. */
const HORIZON_MS = 2 * 366 * 86_400_000;

/**
 * `events.list`. Pages are cut by keys that do not move, so nothing is skipped while the calendar changes between
 * two pages; the sync token on the last page stands at the revision that the first page saw.
 */
export function listEvents(
  context: GoogleContext,
  access: AccessedCalendar,
  entry: ListEntry | undefined,
  query: EventQuery,
): Json {
  const { calendar, role } = access;
  const question = questionOf(calendar, query);
  const page = query.pageToken === null ? null : openPage(query.pageToken, pageQuestion(question, query));
  const revision = page?.revision ?? context.state.revision;
  const view: EventView = {
    calendar,
    role,
    timeZone: query.timeZone ?? undefined,
    maxAttendees: query.maxAttendees ?? undefined,
  };
  const sync = query.syncToken === null ? null : openSync(query.syncToken, question, context.state.syncEpoch);
  const bounds = { timeMin: sync?.timeMin ?? query.timeMin, timeMax: sync?.timeMax ?? query.timeMax };
  const range = rangeOf(context, bounds);
  const listed =
    sync === null
      ? fullList(calendar, query, view, range, bounds)
      : changesSince(calendar, query, view, range, bounds, sync.revision);
  const { page: items, last } = cutPage(listed, page?.after ?? null, query.maxResults);
  return {
    kind: 'calendar#events',
    etag: etagOf(revision),
    summary: entry?.summaryOverride ?? calendar.summary,
    ...(calendar.description === undefined ? {} : { description: calendar.description }),
    updated: isoInstant(lastUpdate(calendar)),
    timeZone: query.timeZone ?? calendar.timeZone,
    accessRole: role,
    defaultReminders: entry?.defaultReminders ?? [],
    items: items.map((item) => item()),
    ...(last === null
      ? nextSync(query, { question, revision, epoch: context.state.syncEpoch, ...bounds })
      : { nextPageToken: sealPage({ question: pageQuestion(question, query), revision, after: last }) }),
  };
}

/**
 * `events.instances`: the slots of one series, exceptions in their places, by original start. `originalStart` filters what is
 * on the page already, and misses instances that are no longer at their slot: a long series answers no items and a
 * `nextPageToken`. Observed by two third-party clients; `timeMin` and `timeMax` apply before the page is cut.
 */
export function listInstances(
  context: GoogleContext,
  access: AccessedCalendar,
  eventId: string,
  query: EventQuery,
  originalStart: string | null,
): Json {
  const { calendar, role } = access;
  const master = findEvent(calendar, eventId)?.event;
  if (master === undefined || master.cancelled) throw notFound();
  const { timeMin, timeMax, showDeleted } = query;
  const question = JSON.stringify(['instances', calendar.id, eventId, timeMin, timeMax, showDeleted, originalStart]);
  const page = query.pageToken === null ? null : openPage(query.pageToken, question);
  const view: EventView = {
    calendar,
    role,
    timeZone: query.timeZone ?? undefined,
    maxAttendees: query.maxAttendees ?? undefined,
  };
  const bounds = { timeMin, timeMax };
  const listed =
    master.fields.recurrence === undefined
      ? []
      : seriesMembers(calendar, master, view, rangeOf(context, bounds), bounds, showDeleted ?? false, byOriginalStart);
  const { page: items, last } = cutPage(listed, page?.after ?? null, query.maxResults);
  return {
    kind: 'calendar#events',
    etag: etagOf(master.revision),
    summary: calendar.summary,
    updated: isoInstant(master.updatedAt),
    timeZone: query.timeZone ?? calendar.timeZone,
    accessRole: role,
    defaultReminders: [],
    items: items.map((item) => item()).filter((event) => originalStart === null || isUnmovedSlot(event, originalStart)),
    ...(last === null ? {} : { nextPageToken: sealPage({ question, revision: context.state.revision, after: last }) }),
  };
}

function fullList(
  calendar: StoredCalendar,
  query: EventQuery,
  view: EventView,
  range: Range,
  bounds: Bounds,
): Listed[] {
  const showDeleted = query.showDeleted ?? false;
  const listed: Listed[] = [];
  for (const event of Object.values(calendar.events)) {
    if (!passesFilters(event, query)) continue;
    if (query.singleEvents && event.fields.recurrence !== undefined) {
      if (!event.cancelled) {
        listed.push(...seriesMembers(calendar, event, view, range, bounds, showDeleted, orderKey(query)));
      }
    } else if (event.recurringEventId !== undefined) {
      const isShown = exceptionInFullList(calendar, event, query, bounds, showDeleted);
      if (isShown) listed.push(listedEvent(event, view, query));
    } else if ((!event.cancelled || showDeleted) && isWithin(event, calendar, bounds)) {
      listed.push(listedEvent(event, view, query));
    }
  }
  return listed;
}

/**
 * Lists exceptions whose series exists: those of seriesMembers are left out here. A cancelled slot is listed when
 * showDeleted and singleEvents are both false, too (the documented exception); orphans count as single events.
 */
function exceptionInFullList(
  calendar: StoredCalendar,
  event: StoredEvent,
  query: EventQuery,
  bounds: Bounds,
  showDeleted: boolean,
): boolean {
  const master = calendar.events[event.recurringEventId ?? ''];
  if (master?.cancelled === true && event.cancelled) return false;
  if (master?.cancelled === false && query.singleEvents) return false;
  if (event.cancelled && !showDeleted && query.singleEvents) return false;
  return isWithin(event, calendar, bounds);
}

function rangeOf(context: GoogleContext, bounds: Bounds): Range {
  return {
    from: bounds.timeMin ?? Number.NEGATIVE_INFINITY,
    to: bounds.timeMax ?? context.kernel.clock.now() + HORIZON_MS,
  };
}

/** Returns the parameters that must not change between a list and the incremental lists after it. */
function questionOf(calendar: StoredCalendar, query: EventQuery): string {
  return JSON.stringify(['events', calendar.id, query.singleEvents, [...query.eventTypes].sort()]);
}

/** Returns the parameters that must not change between the pages of a list. */
function pageQuestion(question: string, query: EventQuery): string {
  const { pageToken: _page, maxResults: _max, timeZone: _zone, maxAttendees: _attendees, ...rest } = query;
  return JSON.stringify([question, rest]);
}

/** Returns the sync token of a list, unless it is filtered or ordered. */
function nextSync(query: EventQuery, state: Parameters<typeof sealSync>[0]): Json {
  const cannotContinue =
    query.orderBy !== null ||
    query.q !== null ||
    query.iCalUID !== null ||
    query.updatedMin !== null ||
    query.privateProperties.length > 0 ||
    query.sharedProperties.length > 0;
  return cannotContinue ? {} : { nextSyncToken: sealSync(state) };
}

function isUnmovedSlot({ originalStartTime: slot, start = slot }: WireEvent, originalStart: string): boolean {
  return isAt(slot, originalStart) && isAt(start, originalStart);
}

function isAt(time: WireTime | undefined, start: string): boolean {
  if (time?.date !== undefined) return time.date === start;
  return time?.dateTime !== undefined && Date.parse(time.dateTime) === Date.parse(start);
}

function lastUpdate(calendar: StoredCalendar): number {
  return Object.values(calendar.events).reduce((latest, event) => Math.max(latest, event.updatedAt), 0);
}
