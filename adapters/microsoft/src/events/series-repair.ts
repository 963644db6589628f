import { ProviderError } from 'kalends/ports';
import { occurrenceEnd, wallLength } from 'kalends/recurrence';
import { formatWall, wallAt } from 'kalends/zones';
import { afterWrite } from './after-write.ts';
import { readDescription, replaceDescription } from './description.ts';
import { dateOfSlotStart, deletedDates, linesOf, seriesStartOf, slotOfInstance, slotOnDate } from './event-reading.ts';
import { instantOfWire } from './event-times.ts';
import type { WireEvent, WireMaster } from './event-wire.ts';
import { readKept } from './kept-properties.ts';
import { findInstance, type OccurrenceTarget } from './occurrence-resolution.ts';
import { asShown } from './own-parts.ts';
import { resumingBody, suspendedPattern, suspendingBody } from './suspended-pattern.ts';
import type { UpdateContext } from './update-context.ts';

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

/** A series of which a slot can be brought back: one that has deleted it, or was left in the middle of that. */
export async function findDeletedSlot(
  { store, read }: UpdateContext,
  { seriesId, originalStart }: Pick<OccurrenceTarget, 'seriesId' | 'originalStart'>,
): Promise<{ readonly master: WireMaster; readonly date: string } | undefined> {
  const master = await store.findMaster(seriesId);
  if (!master?.recurrence) return undefined;
  const date = dateOfSlotStart(originalStart, master, read);
  return suspendedPattern(master) !== undefined || deletedDates(master).has(date) ? { master, date } : undefined;
}

/**
 * Brings back a deleted slot of a series, with what the series says of it; everything else that was done to single slots
 * is made anew. Repeated after an interruption, it ends with the slot there and the pattern as it was, but only the
 * caller knows by then what was done to other slots.
 * @throws ProviderError not-found when the slot was not deleted, not-organizer; unavailable when it was left half-way
 */
export async function restoreSlot(
  context: UpdateContext,
  target: Pick<OccurrenceTarget, 'seriesId' | 'originalStart'>,
): Promise<void> {
  const { store, read } = context;
  const found = await findDeletedSlot(context, target);
  if (found === undefined) {
    throw new ProviderError('not-found', 'the series has no such deleted occurrence', { status: 404 });
  }
  const { master, date } = found;
  if (master.isOrganizer === false) {
    const rule = 'only the organizer can bring an occurrence back';
    throw new ProviderError('not-organizer', rule, { field: 'isCancelled' });
  }
  const isInterrupted = suspendedPattern(master) !== undefined;
  if (!isInterrupted) await store.update(master.id, suspendingBody(master), master['@odata.etag'] ?? undefined);
  await afterWrite(async () => {
    const isToldByLine = linesOf(master, read).excludedDates.has(date);
    await store.update(master.id, resumingBody(master, isToldByLine), undefined);
    await carryExceptions(context, master, new Set([...deletedDates(master)].filter((other) => other !== date)));
  });
}

/**
 * Sends an update that asks for deleted slots back under a pattern that stays the same. If it fails, the series is put
 * back as it was, as far as it can be reached.
 */
export async function updateForgetting(
  context: UpdateContext,
  before: WireMaster,
  body: object,
  tag: string | undefined,
): Promise<void> {
  const { store } = context;
  await store.update(before.id, suspendingBody(before), tag);
  try {
    await store.update(before.id, body, undefined);
  } catch (error) {
    await afterWrite(async () => {
      await store.update(before.id, resumingBody(before, false), undefined);
      await carryExceptions(context, before, deletedDates(before));
    });
    throw error;
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
  const body = {
    ...differences(exception, before, context),
    ...(await meetingBody(context, exception, before, instance)),
  };
  if (Object.keys(body).length === 0) return;
  try {
    await context.store.update(instance.id, body, undefined);
  } catch (error) {
    // Under the new pattern a neighbour may stand where the exception was moved to, which Exchange does not take.
    if (!(ProviderError.isInstance(error) && ['invalid', 'unsupported'].includes(error.reason))) throw error;
    context.read.logger?.warn('an exception could not be carried over to the new pattern', { status: error.status });
  }
}

/** The text of an online meeting's body has lost its markup: it is written around the meeting's block as it is now. */
async function meetingBody(
  { store }: UpdateContext,
  exception: WireEvent,
  before: WireMaster,
  instance: WireEvent,
): Promise<Record<string, unknown>> {
  const text = descriptionOf(asShown(exception, before));
  if (!exception.isOnlineMeeting || !instance.isOnlineMeeting || text === descriptionOf(before)) return {};
  const html = await store.readHtmlBody(instance.id);
  const content = replaceDescription(html, text, instance.onlineMeeting?.joinUrl);
  return { body: { contentType: 'html', content } };
}

function descriptionOf(wire: WireEvent): string {
  const { description } = readKept(wire.singleValueExtendedProperties).details;
  return readDescription(wire.body?.content, wire.isOnlineMeeting ?? false, description);
}

const PLAIN_FIELDS = ['subject', 'showAs', 'sensitivity', 'isReminderOn', 'reminderMinutesBeforeStart'] as const;

/** Fields that say what an exception has of its own even where its series says the same. */
const FIELDS_OF: Readonly<Partial<Record<string, readonly (typeof PLAIN_FIELDS)[number][]>>> = {
  visibility: ['sensitivity'],
  transparency: ['showAs'],
  eventType: ['showAs'],
  reminders: ['isReminderOn', 'reminderMinutesBeforeStart'],
};

/** What an exception says otherwise than its master, as a request body. */
function differences(exception: WireEvent, master: WireMaster, context: UpdateContext): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of PLAIN_FIELDS) {
    if (exception[field] !== master[field] && exception[field] != null) body[field] = exception[field];
  }
  if ((exception.location?.displayName ?? '') !== (master.location?.displayName ?? '')) {
    body['location'] = { displayName: exception.location?.displayName ?? '' };
  }
  if (!exception.isOnlineMeeting && (exception.body?.content ?? '') !== (master.body?.content ?? '')) {
    body['body'] = { contentType: 'text', content: exception.body?.content ?? '' };
  }
  if (addressesOf(exception) !== addressesOf(master)) body['attendees'] = exception.attendees ?? [];
  const { own = [] } = readKept(exception.singleValueExtendedProperties).details;
  for (const field of own.flatMap((name) => FIELDS_OF[name] ?? [])) {
    if (exception[field] != null) body[field] = exception[field];
  }
  if (own.length > 0) body['singleValueExtendedProperties'] = exception.singleValueExtendedProperties ?? [];
  return { ...body, ...movedTimes(exception, master, context) };
}

function addressesOf(wire: WireEvent): string {
  return JSON.stringify((wire.attendees ?? []).map(({ emailAddress }) => emailAddress?.address?.toLowerCase()).sort());
}

/** The times of an exception that was moved from its slot or has another length. */
function movedTimes(exception: WireEvent, master: WireMaster, { read }: UpdateContext): Record<string, unknown> {
  const { calendarZone } = read;
  const shown = seriesStartOf(master, read).timeZone;
  const instantsOf = (wire: WireEvent): [number, number] => [
    instantOfWire(wire.start, calendarZone),
    instantOfWire(wire.end, calendarZone),
  ];
  const lengthMs = wallLength(shown ?? 'UTC', ...instantsOf(master));
  const slot = slotOfInstance(exception, master, read);
  const [startMs, endMs] = instantsOf(exception);
  const isAllDay = exception.isAllDay ?? false;
  const isAtSlot =
    isAllDay === (master.isAllDay ?? false) &&
    endMs === occurrenceEnd(shown ?? 'UTC', startMs, lengthMs) &&
    (slot.kind === 'instant' ? slot.startMs === startMs : slot.date === exception.start.dateTime.slice(0, 10));
  if (isAtSlot) return {};
  const zone = master.recurrence?.range.recurrenceTimeZone || master.originalStartTimeZone || 'UTC';
  if (isAllDay) {
    const floating = (time: WireEvent['start']) => ({ dateTime: time.dateTime, timeZone: zone });
    return { isAllDay, start: floating(exception.start), end: floating(exception.end) };
  }
  const local = (time: WireEvent['start']) => ({
    dateTime: formatWall(wallAt(shown ?? calendarZone, instantOfWire(time, calendarZone))),
    timeZone: zone,
  });
  return { isAllDay, start: local(exception.start), end: local(exception.end) };
}
