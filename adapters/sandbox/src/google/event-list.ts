import type { AccessedCalendar } from './calendar-access.ts';
import { holdsProperties, holdsText } from './event-filter.ts';
import type { EventQuery } from './event-query.ts';
import { type EventView, renderEvent, renderTombstone } from './event-render.ts';
import { exceptionsOf, findEvent, instanceId, shownSlot } from './event-store.ts';
import { instantOfTime, stampOf } from './event-time.ts';
import { etagOf, type GoogleContext, isoInstant } from './google-context.ts';
import { notFound } from './google-error.ts';
import type { FormerShape, ListEntry, StoredCalendar, StoredEvent } from './google-state.ts';
import { findSlot, type Range, slotsWithin } from './series.ts';
import { cutPage, openPage, openSync, sealPage, sealSync } from './tokens.ts';
import type { Json, WireEvent } from './wire.ts';

/** Google expands an endless series only so far when a list has no upper bound. */
const HORIZON_MS = 2 * 366 * 86_400_000;

interface Listed {
  readonly key: readonly (string | number)[];
  readonly item: () => WireEvent;
}

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

/** `events.instances`: the slots of one series, exceptions in their places, by original start. */
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
  const question = `instances ${calendar.id} ${eventId} ${query.timeMin} ${query.timeMax} ${query.showDeleted}`;
  const page = query.pageToken === null ? null : openPage(query.pageToken, question);
  const view: EventView = {
    calendar,
    role,
    timeZone: query.timeZone ?? undefined,
    maxAttendees: query.maxAttendees ?? undefined,
  };
  const bounds = { timeMin: query.timeMin, timeMax: query.timeMax };
  const listed =
    master.fields.recurrence === undefined
      ? []
      : seriesMembers(
          calendar,
          master,
          view,
          rangeOf(context, bounds),
          bounds,
          query.showDeleted ?? false,
          byOriginalStart,
        );
  const wanted = originalStart === null ? listed : listed.filter(({ item }) => isOriginalStart(item(), originalStart));
  const { page: items, last } = cutPage(wanted, page?.after ?? null, query.maxResults);
  return {
    kind: 'calendar#events',
    etag: etagOf(master.revision),
    summary: calendar.summary,
    updated: isoInstant(master.updatedAt),
    timeZone: query.timeZone ?? calendar.timeZone,
    accessRole: role,
    defaultReminders: [],
    items: items.map((item) => item()),
    ...(last === null ? {} : { nextPageToken: sealPage({ question, revision: context.state.revision, after: last }) }),
  };
}

interface Bounds {
  readonly timeMin: number | null;
  readonly timeMax: number | null;
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
 * Exceptions of living series: those shown by seriesMembers are left out here. A cancelled slot is told when
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
  if (master?.cancelled === true) return false;
  if (master !== undefined && query.singleEvents) return false;
  if (event.cancelled && !showDeleted && query.singleEvents) return false;
  return isWithin(event, calendar, bounds);
}

function changesSince(
  calendar: StoredCalendar,
  query: EventQuery,
  view: EventView,
  range: Range,
  bounds: Bounds,
  since: number,
): Listed[] {
  const listed: Listed[] = [];
  for (const event of Object.values(calendar.events)) {
    if (event.revision <= since || !passesFilters(event, query)) continue;
    const master = event.recurringEventId === undefined ? undefined : calendar.events[event.recurringEventId];
    if (query.singleEvents && isOrWasSeries(event, since)) {
      listed.push(...seriesChanges(calendar, event, view, range, bounds, since));
    } else if (master?.cancelled === true) {
      // The tombstone of the series speaks for its exceptions.
    } else if (event.cancelled || isWithin(event, calendar, bounds)) {
      listed.push({ key: [event.revision, event.id], item: () => renderListed(event, view) });
    } else if (event.recurringEventId !== undefined || (event.firstRevision ?? 0) <= since) {
      // Moved out of the list's bounds: for this list it is gone.
      listed.push({ key: [event.revision, event.id], item: () => renderTombstone(event, view) });
    }
  }
  return listed;
}

function isOrWasSeries(event: StoredEvent, since: number): boolean {
  return event.fields.recurrence !== undefined || formerShapes(event, since).length > 0;
}

/** The shapes an event has had since a revision, the present one not among them. */
function formerShapes(event: StoredEvent, since: number): readonly FormerShape[] {
  return (event.formerShapes ?? []).filter((shape) => shape.untilRevision >= since);
}

/** An incremental list of single events tells every slot of a changed series, and cancels those that went. */
function seriesChanges(
  calendar: StoredCalendar,
  master: StoredEvent,
  view: EventView,
  range: Range,
  bounds: Bounds,
  since: number,
): Listed[] {
  const listed = master.cancelled ? [] : presentMembers(calendar, master, view, range, bounds);
  const ids = new Set(listed.map((entry) => entry.key[1]));
  const shapes = [...formerShapes(master, since), ...(master.cancelled ? [master.fields] : [])];
  for (const gone of shapes.flatMap((shape) => slotsGone(calendar, master, shape, range))) {
    if (ids.has(gone.id)) continue;
    ids.add(gone.id);
    listed.push({ key: [master.revision, gone.id], item: () => renderTombstone(gone, view) });
  }
  return listed;
}

function presentMembers(
  calendar: StoredCalendar,
  master: StoredEvent,
  view: EventView,
  range: Range,
  bounds: Bounds,
): Listed[] {
  const byRevision: OrderKey = (_start, id) => [master.revision, id];
  if (master.fields.recurrence !== undefined) {
    return seriesMembers(calendar, master, view, range, bounds, true, byRevision);
  }
  return isWithin(master, calendar, bounds)
    ? [{ key: [master.revision, master.id], item: () => renderEvent(master, view) }]
    : [];
}

/** What a list of single events showed for a former shape: its slots, or the one event. */
function slotsGone(
  calendar: StoredCalendar,
  master: StoredEvent,
  shape: Omit<FormerShape, 'untilRevision'>,
  range: Range,
): StoredEvent[] {
  if (shape.recurrence === undefined) return [master];
  const { recurrence: _recurrence, ...fields } = master.fields;
  return slotsWithin(shape, range, calendar.timeZone).map((slot) => ({
    ...master,
    id: instanceId(master.id, slot),
    cancelled: true,
    recurringEventId: master.id,
    originalStart: slot.start,
    fields: { ...fields, start: slot.start, end: slot.end },
  }));
}

type OrderKey = (start: number, id: string, event: StoredEvent) => readonly (string | number)[];

/** The slots of a series that meet the bounds, each as its exception where there is one. */
function seriesMembers(
  calendar: StoredCalendar,
  master: StoredEvent,
  view: EventView,
  range: Range,
  bounds: Bounds,
  showDeleted: boolean,
  keyOf: OrderKey,
): Listed[] {
  const listed: Listed[] = [];
  const exceptions = new Map(
    exceptionsOf(calendar, master.id).map((event) => [stampOf(event.originalStart ?? event.fields.start), event]),
  );
  for (const slot of slotsWithin(master.fields, range, calendar.timeZone)) {
    if (exceptions.has(stampOf(slot.start))) continue;
    const shown = shownSlot(master, slot);
    const start = instantOfTime(slot.start, calendar.timeZone);
    listed.push({ key: keyOf(start, shown.id, master), item: () => renderEvent(master, view, shown) });
  }
  for (const exception of exceptions.values()) {
    if (exception.cancelled ? !showDeleted : !isWithin(exception, calendar, bounds)) continue;
    if (exception.cancelled && !isCancelledSlot(master, exception)) continue;
    const start = instantOfTime(exception.originalStart ?? exception.fields.start, calendar.timeZone);
    const at = keyOf === byOriginalStart ? start : instantOfTime(exception.fields.start, calendar.timeZone);
    listed.push({ key: keyOf(at, exception.id, exception), item: () => renderListed(exception, view) });
  }
  return listed;
}

function isCancelledSlot(master: StoredEvent, exception: StoredEvent): boolean {
  const { originalStart } = exception;
  return originalStart !== undefined && findSlot(master.fields, stampOf(originalStart)) !== undefined;
}

const byOriginalStart: OrderKey = (start, id) => [start, id];

function orderKey(query: EventQuery): OrderKey {
  if (query.orderBy === 'updated') return (start, id, event) => [event.updatedAt, start, id];
  if (query.orderBy === 'startTime') return (start, id) => [start, 0, id];
  return (start, id, event) => [event.ordinal, start, id];
}

function listedEvent(event: StoredEvent, view: EventView, query: EventQuery): Listed {
  const start = instantOfTime(event.fields.start, view.calendar.timeZone);
  return { key: orderKey(query)(start, event.id, event), item: () => renderListed(event, view) };
}

function renderListed(event: StoredEvent, view: EventView): WireEvent {
  return event.cancelled ? renderTombstone(event, view) : renderEvent(event, view);
}

/** Both bounds exclusive: the end lies after timeMin, the start before timeMax. A series counts by its slots. */
function isWithin(event: StoredEvent, calendar: StoredCalendar, bounds: Bounds): boolean {
  if (bounds.timeMin === null && bounds.timeMax === null) return true;
  if (event.fields.recurrence !== undefined) {
    const range = { from: bounds.timeMin ?? Number.NEGATIVE_INFINITY, to: bounds.timeMax ?? Number.POSITIVE_INFINITY };
    return slotsWithin(event.fields, range, calendar.timeZone, 1).length > 0;
  }
  const start = instantOfTime(event.fields.start, calendar.timeZone);
  const end = instantOfTime(event.fields.end, calendar.timeZone);
  return (bounds.timeMin === null || end > bounds.timeMin) && (bounds.timeMax === null || start < bounds.timeMax);
}

function passesFilters(event: StoredEvent, query: EventQuery): boolean {
  if (query.iCalUID !== null && event.iCalUID !== query.iCalUID) return false;
  if (query.eventTypes.length > 0 && !query.eventTypes.includes(event.fields.eventType)) return false;
  if (query.updatedMin !== null && event.updatedAt < query.updatedMin) return false;
  if (query.q !== null && !holdsText(event, query.q)) return false;
  return (
    holdsProperties(event.fields.extendedProperties?.private, query.privateProperties) &&
    holdsProperties(event.fields.extendedProperties?.shared, query.sharedProperties)
  );
}

function rangeOf(context: GoogleContext, bounds: Bounds): Range {
  return {
    from: bounds.timeMin ?? Number.NEGATIVE_INFINITY,
    to: bounds.timeMax ?? context.kernel.clock.now() + HORIZON_MS,
  };
}

/** What must stay the same between a list and the incremental lists that follow it. */
function questionOf(calendar: StoredCalendar, query: EventQuery): string {
  return JSON.stringify(['events', calendar.id, query.singleEvents, [...query.eventTypes].sort()]);
}

/** A page belongs to one list with all its filters. */
function pageQuestion(question: string, query: EventQuery): string {
  const { pageToken: _page, maxResults: _max, timeZone: _zone, maxAttendees: _attendees, ...rest } = query;
  return JSON.stringify([question, rest]);
}

/** Lists that are filtered or ordered get no sync token. */
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

function isOriginalStart(event: WireEvent, originalStart: string): boolean {
  const shown = event.originalStartTime;
  if (shown?.date !== undefined) return shown.date === originalStart;
  return shown?.dateTime !== undefined && Date.parse(shown.dateTime) === Date.parse(originalStart);
}

function lastUpdate(calendar: StoredCalendar): number {
  return Object.values(calendar.events).reduce((latest, event) => Math.max(latest, event.updatedAt), 0);
}
