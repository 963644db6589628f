import { DAY_MS } from 'kalends/zones';
import type { WireEvent } from '../api/wire.ts';
import { type EventView, renderEvent, renderTombstone } from '../events/event-render.ts';
import { exceptionsOf, shownSlot } from '../events/event-store.ts';
import { instantOfTime, stampOf } from '../events/event-time.ts';
import { findSlot, type Range, slotsWithin } from '../events/series.ts';
import type { StoredCalendar, StoredEvent } from '../google-state.ts';
import { holdsProperties, holdsText } from './event-filter.ts';
import type { EventQuery } from './event-query.ts';

/** One entry of a list, rendered when its page is cut. */
export interface Listed {
  readonly key: readonly (string | number)[];
  readonly item: () => WireEvent;
}

/** Bounds of a list in epoch milliseconds; null is unbounded. */
export interface Bounds {
  readonly timeMin: number | null;
  readonly timeMax: number | null;
}

/** Returns the key that orders an event or slot in a list. */
export type OrderKey = (start: number, id: string, event: StoredEvent) => readonly (string | number)[];

/** Lists the slots of a series that meet the bounds, each as its exception where there is one. */
export function seriesMembers(
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

/** Orders slots by their original start. */
export const byOriginalStart: OrderKey = (start, id) => [start, id];

/** Returns the order of a list. */
export function orderKey(query: EventQuery): OrderKey {
  if (query.orderBy === 'updated') return (start, id, event) => [event.updatedAt, start, id];
  if (query.orderBy === 'startTime') return (start, id) => [start, 0, id];
  return (start, id, event) => [event.ordinal, start, id];
}

/** Lists a single event, or a series as its master. */
export function listedEvent(event: StoredEvent, view: EventView, query: EventQuery): Listed {
  const start = instantOfTime(event.fields.start, view.calendar.timeZone);
  return { key: orderKey(query)(start, event.id, event), item: () => renderListed(event, view) };
}

/** Renders an event, or the tombstone of a cancelled one. */
export function renderListed(event: StoredEvent, view: EventView): WireEvent {
  return event.cancelled ? renderTombstone(event, view) : renderEvent(event, view);
}

/** Tells whether an event ends after timeMin and starts before timeMax; of a series, whether a slot does. */
export function isWithin(event: StoredEvent, calendar: StoredCalendar, bounds: Bounds): boolean {
  if (bounds.timeMin === null && bounds.timeMax === null) return true;
  if (event.fields.recurrence !== undefined) {
    const range = { from: bounds.timeMin ?? Number.NEGATIVE_INFINITY, to: bounds.timeMax ?? Number.POSITIVE_INFINITY };
    return slotsWithin(event.fields, range, calendar.timeZone, 1).length > 0;
  }
  const start = instantOfTime(event.fields.start, calendar.timeZone);
  // An all-day event that ends where it begins is shown for that day.
  const leastMs = 'date' in event.fields.start ? DAY_MS : 0;
  const end = Math.max(start + leastMs, instantOfTime(event.fields.end, calendar.timeZone));
  return (bounds.timeMin === null || end > bounds.timeMin) && (bounds.timeMax === null || start < bounds.timeMax);
}

/** Tells whether an event passes the filters of a query, other than its bounds. */
export function passesFilters(event: StoredEvent, query: EventQuery): boolean {
  if (query.iCalUID !== null && event.iCalUID !== query.iCalUID) return false;
  if (query.eventTypes.length > 0 && !query.eventTypes.includes(event.fields.eventType)) return false;
  if (query.updatedMin !== null && event.updatedAt < query.updatedMin) return false;
  if (query.q !== null && !holdsText(event, query.q)) return false;
  return (
    holdsProperties(event.fields.extendedProperties?.private, query.privateProperties) &&
    holdsProperties(event.fields.extendedProperties?.shared, query.sharedProperties)
  );
}
