import { accessDenied, GraphError, itemNotFound } from '../api/graph-error.ts';
import type { GraphRequest } from '../api/graph-request.ts';
import type { Item, Viewer } from '../events/event-view.ts';
import { etagOf } from '../events/event-view.ts';
import { checkCalendarId, type ItemRef, parseItemId } from '../identity.ts';
import { findOccurrence } from '../series/series.ts';
import { type CalendarLink, defaultCalendarOf, type StoredCalendar } from '../state.ts';

/** A calendar as the mailbox of a request may use it. */
export interface CalendarAccess {
  readonly calendar: StoredCalendar;
  readonly link: CalendarLink;
}

/** A found item with the calendar it is in. */
export interface Located {
  readonly access: CalendarAccess;
  readonly item: Item;
}

/** Lists the calendars of the mailbox, its own first. */
export function listAccess(graph: GraphRequest): CalendarAccess[] {
  return graph.mailbox.calendarLinks.flatMap((link) => {
    const calendar = graph.world.state.calendars[link.calendarKey];
    return calendar ? [{ calendar, link }] : [];
  });
}

/** Returns the calendar of an id. @throws GraphError 404, 400 for a malformed id */
export function getAccess(graph: GraphRequest, calendarId: string): CalendarAccess {
  checkCalendarId(calendarId);
  const access = listAccess(graph).find(({ link }) => link.id === calendarId);
  if (!access) throw itemNotFound();
  return access;
}

/** Returns the mailbox's default calendar. */
export function defaultAccess(graph: GraphRequest): CalendarAccess {
  const { key } = defaultCalendarOf(graph.world.state, graph.mailbox);
  const access = listAccess(graph).find(({ calendar }) => calendar.key === key);
  if (!access) throw itemNotFound();
  return access;
}

/** Returns the event or the slot of an id. */
export function itemOfCalendar(calendar: StoredCalendar, ref: ItemRef): Item | undefined {
  const event = calendar.events[ref.key];
  if (!event) return undefined;
  if (ref.slot === null) return { event, occurrence: null };
  if (event.series?.generation !== ref.slot.generation) return undefined;
  const occurrence = findOccurrence(event, ref.slot.date);
  return occurrence ? { event, occurrence } : undefined;
}

/**
 * Returns the item of an id, in the given calendar or in any that the mailbox owns. A shared calendar's events are
 * found through that calendar only.
 * @throws GraphError 404 ErrorItemNotFound, 400 ErrorInvalidIdMalformed
 */
export function getItem(graph: GraphRequest, access: CalendarAccess | null, id: string): Located {
  const ref = parseItemId(id);
  const places = access ? [access] : listAccess(graph).filter(({ link }) => link.role === 'owner');
  for (const place of places) {
    const item = itemOfCalendar(place.calendar, ref);
    if (item) return { access: place, item };
  }
  throw itemNotFound();
}

/**
 * Returns the item of an id, or an event that its attendee has declined: below `/me/events` its id still works.
 * @throws GraphError as above
 */
export function getAnswerable(graph: GraphRequest, access: CalendarAccess | null, id: string): Located {
  const { key, slot } = parseItemId(id);
  for (const place of access === null && slot === null ? listAccess(graph) : []) {
    const event = place.link.role === 'owner' ? place.calendar.declined?.[key] : undefined;
    if (event !== undefined) return { access: place, item: { event, occurrence: null } };
  }
  return getItem(graph, access, id);
}

/** @throws GraphError 403 where the mailbox may only read */
export function requireEdit(access: CalendarAccess): void {
  if (access.link.role === 'reader') throw accessDenied();
}

/** @throws GraphError 412 when If-Match names another version */
export function requireMatch(graph: GraphRequest, item: Item): void {
  const { ifMatch } = graph;
  if (ifMatch === null || ifMatch === '*' || ifMatch === etagOf(item)) return;
  throw new GraphError(
    412,
    'ErrorIrresolvableConflict',
    'The send or update operation could not be performed because the change key passed in the request does not match the current change key for the item.',
  );
}

export const viewerOf = (graph: GraphRequest, access: CalendarAccess): Viewer => ({
  world: graph.world,
  prefer: graph.prefer,
  seesPrivate: access.link.role === 'owner',
  url: `${graph.root}/v1.0/${graph.rawPath}`,
});
