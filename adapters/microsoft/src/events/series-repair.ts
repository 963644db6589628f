import { type ContinuedSeries, ProviderError, type RecurrenceId } from 'kalends/ports';
import { occurrenceEnd, wallLength } from 'kalends/recurrence';
import { movesAlong } from 'kalends/recurrence/moves';
import { DAY_MS, formatDate, formatWall, wallAt, wallOfText } from 'kalends/zones';
import { afterWrite } from './after-write.ts';
import { meetingProviderOf } from './conference.ts';
import { markup, replaceDescription, textToHtml } from './description.ts';
import { dateOfSlotStart, deletedDates, linesOf, seriesStartOf, slotOfInstance, slotOnDate } from './event-reading.ts';
import type { EventStore } from './event-store.ts';
import { instantOfWire, isSameSlot } from './event-times.ts';
import type { WireEvent, WireMaster } from './event-wire.ts';
import { shownDescription } from './event-writing.ts';
import { namedZone, readZone, zoneNameOf } from './event-zones.ts';
import { canonicalJson, readKept } from './kept-properties.ts';
import { writePlaces } from './location.ts';
import { findInstance, type OccurrenceTarget } from './occurrence-resolution.ts';
import { asShown } from './own-parts.ts';
import { resumingBody, suspendedPattern, suspendingBody } from './suspended-pattern.ts';
import type { UpdateContext } from './update-context.ts';

/** Deletes the instances of a series on dates of its zone; missing ones are skipped. */
export async function deleteSlots(context: UpdateContext, masterId: string, dates: Iterable<string>): Promise<void> {
  const wanted = [...dates];
  if (wanted.length === 0) return;
  const master = await context.store.findMaster(masterId);
  if (master === undefined) return;
  for (const date of wanted) {
    const recurrenceId = slotOnDate(date, master, context.read);
    const instance = await findInstance(context.store, { seriesId: masterId, recurrenceId }, context.read);
    if (instance !== undefined) await unlessGone(context.store.delete(instance.id, undefined));
  }
}

/** Returns whether a slot is deleted; that of a series which is gone is. */
export async function isDeletedSlot(
  { store, read }: UpdateContext,
  { seriesId, recurrenceId }: Pick<OccurrenceTarget, 'seriesId' | 'recurrenceId'>,
): Promise<boolean> {
  const master = await store.findMaster(seriesId);
  return master === undefined || deletedDates(master).has(dateOfSlotStart(recurrenceId, master, read));
}

/** Returns the series of a restorable slot, one that is deleted or whose restoration was interrupted; else undefined. */
export async function findDeletedSlot(
  { store, read }: UpdateContext,
  { seriesId, recurrenceId }: Pick<OccurrenceTarget, 'seriesId' | 'recurrenceId'>,
): Promise<{ readonly master: WireMaster; readonly date: string } | undefined> {
  const master = await store.findMaster(seriesId);
  if (!master?.recurrence) return undefined;
  const date = dateOfSlotStart(recurrenceId, master, read);
  return suspendedPattern(master) !== undefined || deletedDates(master).has(date) ? { master, date } : undefined;
}

/**
 * Restores a deleted slot of a series, and makes the other exceptions and deletions anew. Repeated after an interruption, it
 * ends with the slot and the pattern restored, but the caller alone then knows the other exceptions and deletions.
 * @throws ProviderError not-found when the slot was not deleted, not-organizer; unavailable when it was left half-way
 */
export async function restoreSlot(
  context: UpdateContext,
  target: Pick<OccurrenceTarget, 'seriesId' | 'recurrenceId'>,
): Promise<void> {
  const { store, read } = context;
  const found = await findDeletedSlot(context, target);
  if (found === undefined) {
    throw new ProviderError('not-found', 'the series has no such deleted occurrence', { status: 404 });
  }
  const { date } = found;
  const master = await withExceptionBodies(store, found.master);
  if (master.isOrganizer === false) {
    const rule = 'only the organizer can bring an occurrence back';
    throw new ProviderError('not-organizer', rule, { field: 'isCancelled' });
  }
  const isInterrupted = suspendedPattern(master) !== undefined;
  if (!isInterrupted) await store.update(master.id, suspendingBody(master), master['@odata.etag'] ?? undefined);
  await afterWrite(async () => {
    const isToldByLine = linesOf(master, read).excludedDates.has(date);
    await store.update(master.id, resumingBody(master, isToldByLine), undefined);
    const keepDeleted = new Set([...deletedDates(master)].filter((other) => other !== date));
    await carryExceptions(context, master, { keepDeleted });
  });
}

/**
 * Sends an update that restores deleted slots under an unchanged pattern. If it fails, the series is put back as far as Graph
 * can be reached.
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
      await carryExceptions(context, before, { keepDeleted: deletedDates(before) });
    });
    throw error;
  }
}

/** Resolves with undefined for an object that is gone. */
async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(ProviderError.isInstance(error) && error.reason === 'not-found')) throw error;
  }
  return undefined;
}

/** Reads the exceptions' own descriptions in HTML: making them anew from text would lose links and pictures. */
export async function withExceptionBodies(store: EventStore, master: WireMaster): Promise<WireMaster> {
  const exceptionBodies = new Map<string, string>();
  for (const exception of master.exceptionOccurrences ?? []) {
    if (!hasOwnBody(exception, master)) continue;
    const body = await unlessGone(store.readBody(exception.id, 'html'));
    const html = body === undefined ? undefined : markup(body, exception);
    if (html !== undefined) exceptionBodies.set(exception.id, html);
  }
  return { ...master, exceptionBodies };
}

/** Returns the provider of a meeting that an exception has and its series has not. */
function ownMeeting(exception: WireEvent, master: WireMaster): string | undefined {
  return master.isOnlineMeeting ? undefined : meetingProviderOf(exception);
}

function hasOwnBody(exception: WireEvent, master: WireMaster): boolean {
  // The block of the meeting is in it.
  if (ownMeeting(exception, master) !== undefined) return true;
  if (!exception.isOnlineMeeting) return (exception.body?.content ?? '') !== (master.body?.content ?? '');
  return shownDescription(asShown(exception, master)) !== shownDescription(master);
}

interface CarryOptions {
  readonly keepDeleted: ReadonlySet<string>;
  readonly began?: RecurrenceId | undefined;
}

/**
 * Makes exceptions and deletions anew that Exchange dropped with a change of the master's times or pattern, where the series
 * still has a slot on their date, or on the one to which they move along. `keepDeleted`: dates whose
 * deletion is carried over; `began`: slot that becomes the first one.
 */
export async function carryExceptions(
  context: UpdateContext,
  before: WireMaster,
  { keepDeleted, began }: CarryOptions,
): Promise<void> {
  const exceptions = before.exceptionOccurrences ?? [];
  if (exceptions.length === 0 && keepDeleted.size === 0) return;
  const after = await context.store.findMaster(before.id);
  if (after === undefined) return;
  const days = daysMoved(before, after, context, began);
  const living = new Set((after.exceptionOccurrences ?? []).map((wire) => dateOf(wire, after, context)));
  const deleted = deletedDates(after);
  for (const exception of exceptions) {
    const date = laterDate(dateOf(exception, before, context), days);
    if (living.has(date) || deleted.has(date)) continue;
    await remake(context, exception, before, after, slotOnDate(date, after, context.read));
  }
  await deleteSlots(
    context,
    before.id,
    [...keepDeleted].map((date) => laterDate(date, days)).filter((date) => !deleted.has(date)),
  );
}

/** Gives a new series exceptions of the one that it continues, which the engine then gives what they lack. */
export async function continueExceptions(
  context: UpdateContext,
  before: WireMaster,
  { id, exceptions }: { readonly id: string } & Pick<ContinuedSeries, 'exceptions'>,
): Promise<void> {
  const known = new Map(before.exceptionOccurrences?.map((wire) => [wire.id, wire]));
  if (known.size === 0) return;
  const after = await context.store.findMaster(id);
  if (after === undefined) return;
  const living = (after.exceptionOccurrences ?? []).map((wire) => slotOfInstance(wire, after, context.read));
  for (const { providerEventId, recurrenceId } of exceptions) {
    const exception = known.get(providerEventId);
    if (exception === undefined || living.some((slot) => isSameSlot(slot, recurrenceId))) continue;
    await remake(context, exception, before, after, recurrenceId);
  }
}

/** By how many days the dates of slots move along with the first one. */
function daysMoved(
  before: WireMaster,
  after: WireMaster,
  { read }: UpdateContext,
  began: RecurrenceId | undefined,
): number {
  const { dtstart, timeZone } = seriesStartOf(before, read);
  const from =
    began?.kind === 'instant' ? wallAt(timeZone ?? 'UTC', began.startMs) : wallOfText(began?.date ?? dtstart);
  const start = seriesStartOf(after, read);
  const to = wallOfText(start.dtstart);
  const isAlong = movesAlong({ wallMs: from, timeZone }, { wallMs: to, timeZone: start.timeZone });
  return isAlong ? Math.floor(to / DAY_MS) - Math.floor(from / DAY_MS) : 0;
}

function laterDate(date: string, days: number): string {
  return days === 0 ? date : formatDate(wallOfText(date) + days * DAY_MS);
}

function dateOf(wire: WireEvent, master: WireMaster, { read }: UpdateContext): string {
  return dateOfSlotStart(slotOfInstance(wire, master, read), master, read);
}

async function remake(
  context: UpdateContext,
  exception: WireEvent,
  before: WireMaster,
  after: WireMaster,
  recurrenceId: RecurrenceId,
): Promise<void> {
  const instance = await findInstance(context.store, { seriesId: after.id, recurrenceId }, context.read);
  if (instance === undefined) return;
  const provider = instance.isOnlineMeeting ? undefined : ownMeeting(exception, before);
  const body = {
    ...differences(exception, before, context),
    ...(provider === undefined ? {} : { isOnlineMeeting: true, onlineMeetingProvider: provider }),
    ...(await ownBody(context, exception, before, instance)),
  };
  if (Object.keys(body).length === 0) return;
  try {
    await context.store.update(instance.id, body, undefined);
  } catch (error) {
    // Under the new pattern a neighbour may be where the exception was moved to, which Exchange refuses.
    if (!(ProviderError.isInstance(error) && ['invalid', 'unsupported'].includes(error.reason))) throw error;
    context.read.logger?.warn('an exception could not be carried over to the new pattern', { status: error.status });
  }
}

/** Returns an exception's own body; that of an online meeting is rebuilt around the meeting's present block. */
async function ownBody(
  { store, read }: UpdateContext,
  exception: WireEvent,
  before: WireMaster,
  instance: WireEvent,
): Promise<Record<string, unknown>> {
  if (!hasOwnBody(exception, before)) return {};
  const own = before.exceptionBodies?.get(exception.id);
  if (own === undefined && !exception.isOnlineMeeting && !instance.isOnlineMeeting) {
    return { body: { contentType: 'text', content: exception.body?.content ?? '' } };
  }
  const description = own ?? textToHtml(shownDescription(asShown(exception, before)));
  const content = instance.isOnlineMeeting
    ? replaceDescription(await store.readBody(instance.id, 'html'), description, instance.onlineMeeting?.joinUrl)
    : description;
  if (content === undefined) {
    read.logger?.warn('an exception keeps the description of its series: its online meeting has no recognizable block');
    return {};
  }
  return { body: { contentType: 'html', content } };
}

const PLAIN_FIELDS = [
  'subject',
  'showAs',
  'sensitivity',
  'importance',
  'responseRequested',
  'categories',
  'hideAttendees',
  'allowNewTimeProposals',
  'isReminderOn',
  'reminderMinutesBeforeStart',
] as const;

/** Fields that are an exception's own even where equal to its series'. */
const FIELDS_OF: Readonly<Partial<Record<string, readonly (typeof PLAIN_FIELDS)[number][]>>> = {
  visibility: ['sensitivity'],
  transparency: ['showAs'],
  eventType: ['showAs'],
  status: ['showAs'],
  reminders: ['isReminderOn', 'reminderMinutesBeforeStart'],
};

/** Returns the differences of an exception from its master, as a request body. */
function differences(exception: WireEvent, master: WireMaster, context: UpdateContext): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of PLAIN_FIELDS) {
    if (!isSame(exception[field], master[field]) && exception[field] != null) body[field] = exception[field];
  }
  const places = writePlaces(exception);
  if (canonicalJson(places) !== canonicalJson(writePlaces(master))) Object.assign(body, places);
  if (guestsOf(exception) !== guestsOf(master)) body['attendees'] = exception.attendees ?? [];
  const { own = [] } = readKept(exception.singleValueExtendedProperties).details;
  for (const field of own.flatMap((name) => FIELDS_OF[name] ?? [])) {
    if (exception[field] != null) body[field] = exception[field];
  }
  if (own.length > 0) body['singleValueExtendedProperties'] = exception.singleValueExtendedProperties ?? [];
  return { ...body, ...movedTimes(exception, master, context) };
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function guestsOf({ attendees }: WireEvent): string {
  return JSON.stringify(
    (attendees ?? []).map(({ emailAddress, type }) => `${emailAddress?.address?.toLowerCase()} ${type}`).sort(),
  );
}

/** Returns the times of an exception that was moved or has another length. */
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
  const zone = namedZone(zoneNameOf(master)) ?? 'UTC';
  if (isAllDay) {
    const floating = (time: WireEvent['start']) => ({ dateTime: time.dateTime, timeZone: zone });
    return { isAllDay, start: floating(exception.start), end: floating(exception.end) };
  }
  const local = (time: WireEvent['start']) => ({
    dateTime: formatWall(wallAt(readZone(zone) ?? 'UTC', instantOfWire(time, calendarZone))),
    timeZone: zone,
  });
  return { isAllDay, start: local(exception.start), end: local(exception.end) };
}
