import { ProviderError } from 'kalends/ports';
import { formatWall, wallAt } from 'kalends/zones';
import { dateOfSlotStart, deletedDates, seriesStartOf, slotOfInstance, slotOnDate } from './event-reading.ts';
import { instantOfWire } from './event-times.ts';
import type { UpdateContext } from './event-update.ts';
import type { WireEvent, WireMaster } from './event-wire.ts';
import { findInstance } from './occurrence-resolution.ts';

/** Deletes the instances of a series on dates of its zone; one that is not there is no matter. */
export async function deleteSlots(context: UpdateContext, masterId: string, dates: Iterable<string>): Promise<void> {
  const wanted = [...dates];
  if (wanted.length === 0) return;
  const master = await context.store.findMaster(masterId);
  if (master === undefined) return;
  for (const date of wanted) {
    const originalStart = slotOnDate(date, master, context.read);
    const instance = await findInstance(context.store, { seriesId: masterId, originalStart }, context.read);
    if (instance !== undefined) await ignoreGone(context.store.delete(instance.id, undefined));
  }
}

async function ignoreGone(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(ProviderError.isInstance(error) && error.reason === 'not-found')) throw error;
  }
}

/**
 * Makes exceptions and deletions anew that Exchange dropped with a change of the master's times or pattern, as far as
 * the series still has a slot on their date. `keepDeleted` are the dates whose deletion shall be carried over.
 */
export async function carryExceptions(
  context: UpdateContext,
  before: WireMaster,
  keepDeleted: ReadonlySet<string>,
): Promise<void> {
  const exceptions = before.exceptionOccurrences ?? [];
  if (exceptions.length === 0 && keepDeleted.size === 0) return;
  const after = await context.store.findMaster(before.id);
  if (after === undefined) return;
  const living = new Set((after.exceptionOccurrences ?? []).map((wire) => dateOf(wire, after, context)));
  const deleted = deletedDates(after);
  for (const exception of exceptions) {
    const date = dateOf(exception, before, context);
    if (!living.has(date) && !deleted.has(date)) await remake(context, exception, before, after, date);
  }
  await deleteSlots(
    context,
    before.id,
    [...keepDeleted].filter((date) => !deleted.has(date)),
  );
}

function dateOf(wire: WireEvent, master: WireMaster, { read }: UpdateContext): string {
  return dateOfSlotStart(slotOfInstance(wire, master, read), master, read);
}

async function remake(
  context: UpdateContext,
  exception: WireEvent,
  before: WireMaster,
  after: WireMaster,
  date: string,
): Promise<void> {
  const originalStart = slotOnDate(date, after, context.read);
  const instance = await findInstance(context.store, { seriesId: after.id, originalStart }, context.read);
  if (instance === undefined) return;
  const body = differences(exception, before, context);
  if (Object.keys(body).length === 0) return;
  try {
    await context.store.update(instance.id, body, undefined);
  } catch (error) {
    // Under the new pattern a neighbour may stand where the exception was moved to, which Exchange does not take.
    if (!(ProviderError.isInstance(error) && error.reason === 'invalid')) throw error;
    context.read.logger?.warn('an exception could not be carried over to the new pattern', { status: error.status });
  }
}

const PLAIN_FIELDS = ['subject', 'showAs', 'sensitivity', 'isReminderOn', 'reminderMinutesBeforeStart'] as const;

/** What an exception says otherwise than its master, as a request body. */
function differences(exception: WireEvent, master: WireMaster, context: UpdateContext): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of PLAIN_FIELDS) {
    if (exception[field] !== master[field] && exception[field] != null) body[field] = exception[field];
  }
  if ((exception.location?.displayName ?? '') !== (master.location?.displayName ?? '')) {
    body['location'] = { displayName: exception.location?.displayName ?? '' };
  }
  // The text of an online meeting's body has lost its markup: writing it would cost the meeting its link.
  if (!exception.isOnlineMeeting && (exception.body?.content ?? '') !== (master.body?.content ?? '')) {
    body['body'] = { contentType: 'text', content: exception.body?.content ?? '' };
  }
  if (addressesOf(exception) !== addressesOf(master)) body['attendees'] = exception.attendees ?? [];
  const properties = (exception.singleValueExtendedProperties ?? []).filter(
    ({ id, value }) => !master.singleValueExtendedProperties?.some((other) => other.id === id && other.value === value),
  );
  if (properties.length > 0) body['singleValueExtendedProperties'] = properties;
  return { ...body, ...movedTimes(exception, master, context) };
}

function addressesOf(wire: WireEvent): string {
  return JSON.stringify((wire.attendees ?? []).map(({ emailAddress }) => emailAddress?.address?.toLowerCase()).sort());
}

/** The times of an exception that was moved from its slot or has another length. */
function movedTimes(exception: WireEvent, master: WireMaster, { read }: UpdateContext): Record<string, unknown> {
  const { calendarZone } = read;
  const span = (wire: WireEvent): number =>
    instantOfWire(wire.end, calendarZone) - instantOfWire(wire.start, calendarZone);
  const slot = slotOfInstance(exception, master, read);
  const startMs = instantOfWire(exception.start, calendarZone);
  const isAllDay = exception.isAllDay ?? false;
  const isAtSlot =
    isAllDay === (master.isAllDay ?? false) &&
    span(exception) === span(master) &&
    (slot.kind === 'instant' ? slot.startMs === startMs : slot.date === exception.start.dateTime.slice(0, 10));
  if (isAtSlot) return {};
  const zone = master.recurrence?.range.recurrenceTimeZone || master.originalStartTimeZone || 'UTC';
  if (isAllDay) {
    const floating = (time: WireEvent['start']) => ({ dateTime: time.dateTime, timeZone: zone });
    return { isAllDay, start: floating(exception.start), end: floating(exception.end) };
  }
  const shown = seriesStartOf(master, read).timeZone ?? calendarZone;
  const local = (time: WireEvent['start']) => ({
    dateTime: formatWall(wallAt(shown, instantOfWire(time, calendarZone))),
    timeZone: zone,
  });
  return { isAllDay, start: local(exception.start), end: local(exception.end) };
}
