import { type EventView, renderEvent, renderTombstone } from '../events/event-render.ts';
import { exceptionsOf, instanceId } from '../events/event-store.ts';
import { type Range, slotsWithin } from '../events/series.ts';
import type { FormerShape, StoredCalendar, StoredEvent } from '../google-state.ts';
import type { EventQuery } from './event-query.ts';
import {
  type Bounds,
  isWithin,
  type Listed,
  type OrderKey,
  passesFilters,
  renderListed,
  seriesMembers,
} from './list-members.ts';

/** Lists the events of a calendar that changed since a revision, in the terms of an incremental list. */
export function changesSince(
  calendar: StoredCalendar,
  query: EventQuery,
  view: EventView,
  range: Range,
  bounds: Bounds,
  since: number,
): Listed[] {
  const listed: Listed[] = [];
  for (const event of Object.values(calendar.events)) {
    const master = event.recurringEventId === undefined ? undefined : calendar.events[event.recurringEventId];
    const revision = query.singleEvents ? event.revision : revisionInList(event, master, calendar, bounds);
    if (revision <= since || !passesFilters(event, query)) continue;
    if (query.singleEvents && isOrWasSeries(event, since)) {
      listed.push(...seriesChanges(calendar, event, view, range, bounds, since));
    } else if (master?.cancelled === true && event.cancelled && master.revision > since) {
      // The tombstone of the series stands for its exceptions.
    } else if (event.cancelled || isWithin(event, calendar, bounds)) {
      listed.push({ key: [revision, event.id], item: () => renderListed(event, view) });
    } else if (event.recurringEventId !== undefined || event.firstRevision !== event.revision) {
      // Moved out of the list's bounds: for this list it is gone. A page after the first may have shown what is newer than the token.
      listed.push({ key: [revision, event.id], item: () => renderTombstone(event, view) });
    }
  }
  return listed;
}

/**
 * Returns the revision at which an event is listed. The tombstone of a series that was deleted, or has left the bounds, drops
 * its exceptions too: those that stay are listed again behind it (their ids begin with that of the series), and never at an
 * earlier place than before.
 */
function revisionInList(
  event: StoredEvent,
  master: StoredEvent | undefined,
  calendar: StoredCalendar,
  bounds: Bounds,
): number {
  if (master === undefined || event.cancelled || !isWithin(event, calendar, bounds)) return event.revision;
  const mayStayAlone = master.cancelled || bounds.timeMin !== null || bounds.timeMax !== null;
  return mayStayAlone ? Math.max(event.revision, master.revision) : event.revision;
}

function isOrWasSeries(event: StoredEvent, since: number): boolean {
  return event.fields.recurrence !== undefined || formerShapes(event, since).length > 0;
}

/** Returns the former shapes of an event since a revision. */
function formerShapes(event: StoredEvent, since: number): readonly FormerShape[] {
  return (event.formerShapes ?? []).filter((shape) => shape.untilRevision >= since);
}

/** Lists every slot of a changed series, and the former ones as cancelled, for incremental lists of single events. */
function seriesChanges(
  calendar: StoredCalendar,
  master: StoredEvent,
  view: EventView,
  range: Range,
  bounds: Bounds,
  since: number,
): Listed[] {
  const listed = master.cancelled ? [] : presentMembers(calendar, master, view, range, bounds);
  const exceptions = master.cancelled ? exceptionsOf(calendar, master.id) : [];
  const orphans = exceptions.filter((event) => !event.cancelled && isWithin(event, calendar, bounds));
  listed.push(...orphans.map((event) => ({ key: [master.revision, event.id], item: () => renderEvent(event, view) })));
  const ids = new Set(listed.map((entry) => entry.key[1]));
  const shapes = [...formerShapes(master, since), ...(master.cancelled ? [master.fields] : [])];
  const slots = shapes.flatMap((shape) => slotsGone(calendar, master, shape, range));
  // An exception may stand within the bounds although its slot does not.
  for (const gone of [...slots, ...exceptions]) {
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

/** Lists the tombstones of a former shape: of its slots, or of the single event. */
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
