import { sameJson } from '../api/json.ts';
import { type GoogleContext, nextOrdinal, nextRevision } from '../google-context.ts';
import type { EventFields, StoredCalendar, StoredEvent } from '../google-state.ts';
import type { ShownSlot } from './event-render.ts';
import { sameMoment, stampOf } from './event-time.ts';
import { findSlot, type Slot } from './series.ts';

const INSTANCE_ID = /^(.+)_(\d{8}(?:T\d{6}Z)?)$/;

/** The event of an id: a record, or a slot of a series without a record of its own. */
export interface FoundEvent {
  readonly event: StoredEvent;
  readonly slot: ShownSlot | undefined;
}

/** Returns the event of an id, cancelled ones included; undefined for an id that never existed. */
export function findEvent(calendar: StoredCalendar, eventId: string): FoundEvent | undefined {
  const stored = calendar.events[eventId];
  if (stored !== undefined) return { event: stored, slot: undefined };
  const match = INSTANCE_ID.exec(eventId);
  const master = match === null ? undefined : calendar.events[match[1] ?? ''];
  if (match === null || master === undefined) return undefined;
  const slot = findSlot(master.fields, match[2] ?? '');
  return slot === undefined ? undefined : { event: master, slot: shownSlot(master, slot) };
}

export function shownSlot(master: StoredEvent, slot: Slot): ShownSlot {
  return { id: instanceId(master.id, slot), originalStart: slot.start, start: slot.start, end: slot.end };
}

export function instanceId(masterId: string, slot: Pick<Slot, 'start'>): string {
  return `${masterId}_${stampOf(slot.start)}`;
}

/** Returns the exceptions of a series that have a record of their own, cancelled ones included. */
export function exceptionsOf(calendar: StoredCalendar, masterId: string): StoredEvent[] {
  return Object.values(calendar.events).filter((event) => event.recurringEventId === masterId);
}

/** Gives a slot a record of its own, a copy of the series. The caller touches and changes it. */
export function materialise(
  context: GoogleContext,
  calendar: StoredCalendar,
  master: StoredEvent,
  slot: ShownSlot,
): StoredEvent {
  const { recurrence: _recurrence, ...fields } = structuredClone(master.fields);
  const exception: StoredEvent = {
    id: slot.id,
    iCalUID: master.iCalUID,
    createdAt: master.createdAt,
    updatedAt: master.updatedAt,
    revision: master.revision,
    ordinal: nextOrdinal(context),
    cancelled: master.cancelled,
    sequence: master.sequence,
    creatorEmail: master.creatorEmail,
    organizerEmail: master.organizerEmail,
    recurringEventId: master.id,
    originalStart: slot.originalStart,
    fields: { ...fields, start: slot.start, end: slot.end },
  };
  calendar.events[exception.id] = exception;
  return exception;
}

/** Marks a copy as changed. Changes of reminders alone keep `updated` (`keepsUpdated`). */
export function touchEvent(
  context: GoogleContext,
  calendar: StoredCalendar,
  event: StoredEvent,
  options: { readonly keepsUpdated?: boolean } = {},
): void {
  event.revision = nextRevision(context);
  event.firstRevision ??= event.revision;
  delete event.planted;
  if (options.keepsUpdated !== true) event.updatedAt = context.kernel.clock.now();
  context.changedResources.add(`events:${calendar.id}`);
}

/** Replaces the fields of a copy, and stores its former slots if they change. The caller touches it. */
export function replaceFields(context: GoogleContext, event: StoredEvent, after: EventFields): void {
  const before = event.fields;
  const isSeries = before.recurrence !== undefined || after.recurrence !== undefined;
  const isReshaped =
    !sameMoment(before.start, after.start) ||
    !sameMoment(before.end, after.end) ||
    !sameJson(before.recurrence, after.recurrence);
  if (isSeries && isReshaped) {
    const { start, end, recurrence } = before;
    const shape = {
      untilRevision: context.state.revision,
      start,
      end,
      ...(recurrence === undefined ? {} : { recurrence }),
    };
    event.formerShapes = [...(event.formerShapes ?? []), shape];
  }
  event.fields = after;
}
