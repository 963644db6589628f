import {
  type CalendarRef,
  type EventTarget,
  ProviderError,
  type ProviderSession,
  type RecurrenceId,
  readObject,
  type UnreadableObject,
} from 'kalends/ports';
import { DAY_MS, resolveZone } from 'kalends/zones';
import type { EventCalls } from './event-calls.ts';
import { isSameSlot, readSlot, readStamp, writeSlot } from './event-time.ts';
import type { WireEvent } from './event-wire.ts';

/** Target of a write: the event, or the instance of a slot. */
export interface Addressed {
  readonly id: string;
  /** Google's present state of it, where it had to be read. */
  readonly fresh: WireEvent | undefined;
}

/**
 * Finds the target of a write. Google assigns the instance id of a slot that is no exception yet; it is looked up by the
 * slot.
 * @throws ProviderError not-found when the series has no such slot, precondition-failed when a tag that no header can
 * check does not hold
 */
export async function address(
  calls: EventCalls,
  session: ProviderSession,
  calendar: CalendarRef,
  input: { readonly target: EventTarget; readonly ifMatch: string | undefined; readonly mustRead: boolean },
): Promise<Addressed> {
  const { target, ifMatch, mustRead } = input;
  const knownId = target.kind === 'event' ? target.providerEventId : target.current.providerEventId;
  if (knownId !== '') {
    if (!mustRead) return { id: knownId, fresh: undefined };
    const fresh = await calls.get(session, calendar.id, knownId);
    if (ifMatch !== undefined && fresh.etag !== ifMatch) throw preconditionFailed();
    return { id: knownId, fresh };
  }
  if (target.kind === 'event') throw new ProviderError('not-found', 'the event has no provider id');
  if (ifMatch !== undefined) await requireMaster(calls, session, calendar, { seriesId: target.seriesId, ifMatch });
  const fresh = await findInstance(calls, session, calendar, target);
  return { id: fresh.id, fresh };
}

/**
 * Finds the instance of a slot. The parameter `originalStart` cannot be trusted: Google cuts its pages before that filter, so
 * that a long series answers an empty page, and it misses instances that were moved. A window applies before; only an
 * instance that was moved out of it takes a walk through the whole series.
 * @throws ProviderError not-found, or unreadable for a slot whose instance cannot be read
 */
async function findInstance(
  calls: EventCalls,
  session: ProviderSession,
  calendar: CalendarRef,
  target: Extract<EventTarget, { kind: 'occurrence' }>,
): Promise<WireEvent> {
  const { seriesId, recurrenceId } = target;
  let unreadable: UnreadableObject | undefined;
  for (const window of [windowAround(recurrenceId), undefined]) {
    for await (const { items, timeZone } of calls.listInstances(session, calendar.id, seriesId, window)) {
      const zone = (timeZone == null ? undefined : resolveZone(timeZone)) ?? calendar.timeZone;
      for (const item of items) {
        if ('kind' in item) unreadable ??= mayBeOf(item, recurrenceId) ? item : undefined;
        else if (isInstanceOf(item, recurrenceId, zone)) return item;
      }
    }
    // A list without the instance would say that the slot is gone, which a deletion takes for success.
    if (unreadable !== undefined) throw new ProviderError('unreadable', unreadable.reason);
  }
  throw new ProviderError('not-found', `the series has no occurrence at ${writeSlot(recurrenceId)}`);
}

/** Returns the day before and after a slot. All-day slots begin up to 14 hours before or after midnight in UTC. */
function windowAround(slot: RecurrenceId): { readonly timeMin: string; readonly timeMax: string } {
  const startMs = slot.kind === 'date' ? Date.parse(slot.date) : slot.startMs;
  const instant = (at: number) => writeSlot({ kind: 'instant', startMs: at });
  return { timeMin: instant(startMs - DAY_MS), timeMax: instant(startMs + DAY_MS) };
}

function isInstanceOf(item: WireEvent, slot: RecurrenceId, zone: string): boolean {
  const read = readObject({ providerEventId: item.id, seriesId: null }, () => readSlot(item, zone));
  return read.kind !== 'unreadable' && isSameSlot(read, slot);
}

/** Tells whether an unreadable instance may be that of a slot: its id says so, or does not name another one. */
function mayBeOf({ providerEventId }: UnreadableObject, slot: RecurrenceId): boolean {
  const stamped = readStamp(providerEventId);
  return stamped === undefined || isSameSlot(stamped.slot, slot);
}

/** Checks the tag against the series: a slot that is no exception has no version of its own. */
async function requireMaster(
  calls: EventCalls,
  session: ProviderSession,
  calendar: CalendarRef,
  { seriesId, ifMatch }: { readonly seriesId: string; readonly ifMatch: string },
): Promise<void> {
  const master = await calls.get(session, calendar.id, seriesId);
  if (master.etag !== ifMatch) throw preconditionFailed();
}

export function preconditionFailed(): ProviderError {
  return new ProviderError('precondition-failed', 'the event has been changed since', { status: 412 });
}

/**
 * Returns the If-Match of a write. The caller's tag belongs to the stored object, so that it cannot be sent for a slot that
 * was no exception; a merge into a fresh read uses the tag of that read.
 */
export function tagFor(
  ifMatch: string | undefined,
  target: EventTarget,
  fresh: WireEvent | undefined,
): string | undefined {
  const isStored = target.kind === 'event' || target.current.providerEventId !== '';
  return (isStored ? ifMatch : undefined) ?? fresh?.etag ?? undefined;
}
