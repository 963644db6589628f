import { sameJson } from '../api/json.ts';
import type { GoogleContext } from '../google-context.ts';
import type { EventFields, StoredCalendar, StoredEvent } from '../google-state.ts';
import { exceptionsOf, touchEvent } from './event-store.ts';
import { sameLength, sameMoment, stampOf } from './event-time.ts';
import { findSlot } from './series.ts';

const NOT_CARRIED = new Set(['start', 'end', 'recurrence']);

/**
 * Carries a change of a series to its exceptions: an exception whose slot is gone is cancelled, unless a test has set
 * another fate, and a field that an exception does not override follows the series.
 */
export function carryChangeToExceptions(
  context: GoogleContext,
  calendar: StoredCalendar,
  master: StoredEvent,
  before: EventFields,
  isReshaped: boolean,
): void {
  const { exceptionFate } = context.state;
  if (isReshaped && exceptionFate === 'dropped') {
    dropExceptions(context, calendar, master);
    return;
  }
  for (const exception of exceptionsOf(calendar, master.id)) {
    if (exception.cancelled || exception.originalStart === undefined) continue;
    const stamp = stampOf(exception.originalStart);
    if (isReshaped && exceptionFate === 'cancelled' && findSlot(master.fields, stamp) === undefined) {
      exception.cancelled = true;
      touchEvent(context, calendar, exception);
    } else if (followSeries(exception, before, master.fields)) {
      touchEvent(context, calendar, exception);
    }
  }
}

/** Deletes the exceptions without tombstones, in the guests' calendars too: a client must list the series again. */
function dropExceptions(context: GoogleContext, { id: organizerEmail }: StoredCalendar, master: StoredEvent): void {
  for (const { events } of Object.values(context.state.calendars)) {
    for (const event of Object.values(events)) {
      if (event.recurringEventId === master.id && event.organizerEmail === organizerEmail) delete events[event.id];
    }
  }
}

function followSeries(exception: StoredEvent, before: EventFields, after: EventFields): boolean {
  let isChanged = false;
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof EventFields>;
  for (const key of keys) {
    if (NOT_CARRIED.has(key) || sameJson(before[key], after[key])) continue;
    if (!sameJson(exception.fields[key], before[key])) continue;
    if (after[key] === undefined) delete exception.fields[key];
    else Object.assign(exception.fields, { [key]: structuredClone(after[key]) });
    isChanged = true;
  }
  return followLength(exception, before, after) || isChanged;
}

/** Gives an exception that was never moved the new length of the series. */
function followLength(exception: StoredEvent, before: EventFields, after: EventFields): boolean {
  const { originalStart, fields } = exception;
  if (originalStart === undefined || !sameMoment(fields.start, originalStart)) return false;
  if (!sameMoment(fields.end, sameLength(before.start, before.end, originalStart))) return false;
  const end = sameLength(after.start, after.end, originalStart);
  if (sameMoment(end, fields.end)) return false;
  fields.end = end;
  return true;
}
