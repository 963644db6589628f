import {
  continueResource,
  createResource,
  type EditContext,
  editResource,
  ICalendarError,
  type ResourceTarget,
  respondInResource,
} from 'kalends/icalendar';
import {
  type CalendarRef,
  type ContinuedSeries,
  type EventChange,
  type EventContent,
  type EventPatch,
  type EventTarget,
  type NewEvent,
  type NotifyOptions,
  ProviderError,
  type ProviderEvent,
  type ProviderEvents,
  type ProviderSession,
  type WriteOptions,
} from 'kalends/ports';
import { runInTurns } from 'kalends/runtime';
import type { AccountPerson, PersonOf } from '../account/account-person.ts';
import type { CaldavSettings } from '../options.ts';
import { isGone, unsupported } from '../protocol/failure.ts';
import { pathOfId } from '../protocol/paths.ts';
import { ignoresConditions } from '../server-kind.ts';
import { addressOf, type EventAddress, objectId } from './event-ids.ts';
import { organizersPart, requireHoldable, withDefaultReminders } from './holdable.ts';
import type { CalendarObject, ObjectCalls } from './object-calls.ts';
import { ownerOf, readObjectChanges } from './object-reading.ts';
import { requireSlot } from './series-slots.ts';

/** Attempts of a write that is merged into a fresh read. */
const ATTEMPTS = 4;

type EventWrites = Pick<ProviderEvents, 'check' | 'create' | 'update' | 'delete' | 'respond' | 'findCreated'>;

/** An object as it is now, with the events in it as the person has them. */
interface Present {
  readonly person: AccountPerson;
  readonly object: CalendarObject;
  readonly changes: readonly EventChange[];
}

/** An object to be created. */
interface NewObject extends NotifyOptions {
  readonly uid: string;
}

/** Creates the writes: each edits the text that the server has now, under its tag, and reads what the server made of it. */
export function createEventWrites(
  { clock }: Pick<CaldavSettings, 'clock'>,
  calls: ObjectCalls,
  personOf: PersonOf,
): EventWrites {
  async function find(session: ProviderSession, calendar: CalendarRef, path: string): Promise<Present | undefined> {
    const object = await calls.read(session, pathOfId(calendar.id), path);
    if (object === undefined) return undefined;
    const person = await personOf(session);
    return { person, object, changes: await runInTurns(readObjectChanges(object, person, calendar)) };
  }

  async function requirePresent(
    session: ProviderSession,
    calendar: CalendarRef,
    path: string,
    ifMatch: string | undefined,
  ): Promise<Present> {
    const present = await find(session, calendar, path);
    if (present === undefined) throw new ProviderError('not-found', 'the event is gone');
    if (ifMatch !== undefined && present.object.tag !== ifMatch) throw stale();
    return present;
  }

  const contextFor = (
    { email, self = [] }: Pick<EditContext, 'email' | 'self'>,
    calendar: CalendarRef,
    { keepsAnswers = false, began }: WriteOptions = {},
  ): EditContext => {
    const { timeZone: calendarZone } = calendar;
    return { now: clock.now(), calendarZone, email, self, owner: ownerOf(calendar), keepsAnswers, began };
  };

  /**
   * Reads, edits and writes, again when the object changed in between: under the caller's own tag the caller decides. An edit of which
   * nothing is left, told by null, removes the object.
   */
  async function edit(
    session: ProviderSession,
    calendar: CalendarRef,
    { path, ifMatch }: { readonly path: string; readonly ifMatch: string | undefined },
    change: (present: Present) => string | null,
  ): Promise<readonly EventChange[]> {
    for (let attempt = 1; ; attempt += 1) {
      const present = await requirePresent(session, calendar, path, ifMatch);
      const text = readable(() => change(present));
      if (text === present.object.text) return present.changes;
      const { tag, scheduleTag } = present.object;
      try {
        if (text === null) {
          await calls.remove(session, path, { ifMatch: tag ?? undefined });
          return deletedObject(path);
        }
        await calls.put(session, path, text, { ifMatch: tag ?? undefined, ifScheduleTagMatch: scheduleTag });
        return await reread(session, calendar, path);
      } catch (error) {
        if (ifMatch !== undefined || attempt === ATTEMPTS || !mayHaveCrossed(error)) throw error;
      }
    }
  }

  /** Most servers rewrite what they are sent, so that only a read tells what is there. */
  async function reread(
    session: ProviderSession,
    calendar: CalendarRef,
    path: string,
  ): Promise<readonly EventChange[]> {
    const present = await find(session, calendar, path);
    return present?.changes ?? deletedObject(path);
  }

  async function removeObject(
    session: ProviderSession,
    calendar: CalendarRef,
    path: string,
    { ifMatch, notifyAttendees }: WriteOptions,
  ): Promise<readonly EventChange[]> {
    if (ifMatch !== undefined || notifyAttendees !== undefined) {
      const present = await find(session, calendar, path);
      if (present === undefined) return deletedObject(path);
      if (ifMatch !== undefined && present.object.tag !== ifMatch) throw stale();
      requireMail(present.changes, undefined, { notifyAttendees });
    }
    await calls.remove(session, path, { ifMatch });
    return deletedObject(path);
  }

  const remove: EventWrites['delete'] = async (session, calendar, target, options) => {
    const address = addressOfTarget(target, calendar);
    const { slot, path } = address;
    if (slot === null) return removeObject(session, calendar, path, options);
    try {
      return await edit(session, calendar, { path, ifMatch: options.ifMatch }, ({ person, object, changes }) => {
        requireSlot(changes, slot, calendar.timeZone);
        requireMail(changes, undefined, options);
        // The server declines for a guest whose object goes.
        if (isSoleInvitation(changes)) return null;
        const patch: EventPatch = { isCancelled: true };
        return editResource(object.text, resourceTarget(address), patch, contextFor(person, calendar, options));
      });
    } catch (error) {
      // Gone is what was wanted.
      if (!isGone(error) || (await find(session, calendar, path)) !== undefined) throw error;
      return deletedObject(path);
    }
  };

  function newText(
    session: ProviderSession,
    calendar: CalendarRef,
    input: NewEvent,
    { uid, notifyAttendees }: NewObject,
  ): string {
    requireWritable(input, null, { notifyAttendees });
    const context = { ...contextFor(session, calendar, { keepsAnswers: true }), uid };
    return readable(() => createResource(withDefaultReminders(input), context));
  }

  /** Copies a series, so that the new one has what the interface does not show. */
  async function continuedText(
    session: ProviderSession,
    calendar: CalendarRef,
    input: NewEvent,
    { continues: { seriesId, recurrenceId }, ...made }: NewObject & { readonly continues: ContinuedSeries },
  ): Promise<string> {
    const present = await find(session, calendar, addressOf(seriesId, calendar.id).path);
    if (present === undefined) return newText(session, calendar, input, made);
    const { object, changes } = present;
    requireWritable(input, masterOf(changes)?.content ?? null, made);
    const context = { ...contextFor(session, calendar, { keepsAnswers: true }), newUid: made.uid };
    return readable(() => continueResource(object.text, recurrenceId, withDefaultReminders(input), context));
  }

  return {
    delete: remove,

    async check(session, calendar, input, options) {
      newText(session, calendar, input, { uid: 'new', ...options });
    },

    async create(session, calendar, input, { requestId, iCalUid, notifyAttendees, continues }) {
      const made = { uid: iCalUid ?? `kal-${requestId}@kalends`, notifyAttendees };
      const text =
        continues === undefined
          ? newText(session, calendar, input, made)
          : await continuedText(session, calendar, input, { ...made, continues });
      const path = createdPath(calendar, requestId);
      if (ignoresConditions(path)) {
        const made = await find(session, calendar, path);
        if (made !== undefined) return made.changes;
      }
      try {
        await calls.put(session, path, text, { ifNoneMatch: '*' });
      } catch (error) {
        const isRefused = ProviderError.isInstance(error) && ['precondition-failed', 'conflict'].includes(error.reason);
        if (!isRefused) throw error;
        // The first request with this id has made it.
        const made = await find(session, calendar, path);
        if (made === undefined) throw error;
        return made.changes;
      }
      return reread(session, calendar, path);
    },

    async findCreated(session, calendar, requestId) {
      return (await find(session, calendar, createdPath(calendar, requestId)))?.changes ?? [];
    },

    async update(session, calendar, target, patch, options) {
      const address = addressOfTarget(target, calendar);
      if (patch.isCancelled === true) return remove(session, calendar, target, options);
      if (address.slot !== null && patch.recurrence != null) {
        throw unsupported('recurrence', 'an occurrence has no recurrence of its own');
      }
      const { path } = address;
      return edit(session, calendar, { path, ifMatch: options.ifMatch }, ({ person, object, changes }) => {
        const present = eventAt(changes, address);
        const master = masterOf(changes);
        if (address.slot !== null && present === undefined) requireSlot(changes, address.slot, calendar.timeZone);
        requireHoldable(patch, (present ?? master)?.content ?? null);
        const place = resourceTarget(address);
        const context = contextFor(person, calendar, options);
        const written = editResource(object.text, place, withDefaultReminders(patch), context);
        if (written !== object.text) requireMail(changes, patch, options);
        if ((present ?? master)?.isOrganizer === false) {
          const theirs = editResource(object.text, place, organizersPart(patch), context);
          if (theirs !== object.text) throw new ProviderError('not-organizer', 'only the organizer may change this');
        }
        return written;
      });
    },

    async respond(session, calendar, target, response, { ifMatch, comment, notifyAttendees }) {
      if (comment != null && comment !== '') throw unsupported('comment', 'CalDAV carries no comment to the organizer');
      const address = addressOfTarget(target, calendar);
      return edit(session, calendar, { path: address.path, ifMatch }, ({ person, object, changes }) => {
        if (address.slot !== null) requireSlot(changes, address.slot, calendar.timeZone);
        const event = eventAt(changes, address) ?? masterOf(changes);
        if (event?.content?.organizer?.isSelf === true)
          throw new ProviderError('forbidden', 'the organizer has no invitation');
        if (event?.content?.myResponseStatus === undefined) {
          throw new ProviderError('forbidden', 'the account is not invited');
        }
        requireQuiet({ notifyAttendees });
        return respondInResource(object.text, resourceTarget(address), response, contextFor(person, calendar));
      });
    },
  };
}

function deletedObject(path: string): readonly EventChange[] {
  return [{ kind: 'deleted', providerEventId: objectId(path) }];
}

/** Returns whether an object is a guest's invitation to one occurrence, without its series. */
function isSoleInvitation([change, ...others]: readonly EventChange[]): boolean {
  return change?.kind === 'event' && change.event.seriesId !== null && !change.event.isOrganizer && others.length === 0;
}

function createdPath(calendar: CalendarRef, requestId: string): string {
  return `${pathOfId(calendar.id)}kal-${requestId}.ics`;
}

function stale(): ProviderError {
  return new ProviderError('precondition-failed', 'the event has been changed since', { status: 412 });
}

/** A condition that did not hold, or an outcome that is unknown: a read tells. */
function mayHaveCrossed(error: unknown): boolean {
  return ProviderError.isInstance(error) && ['precondition-failed', 'unavailable', 'timeout'].includes(error.reason);
}

/** Returns what an editing of the text does; its refusals name public fields. */
function readable<Text extends string | null>(edit: () => Text): Text {
  try {
    return edit();
  } catch (error) {
    if (!(error instanceof ICalendarError)) throw error;
    throw new ProviderError('unsupported', error.message, { field: error.field, cause: error });
  }
}

function addressOfTarget(target: EventTarget, calendar: CalendarRef): EventAddress {
  if (target.kind === 'event') return addressOf(target.providerEventId, calendar.id);
  return { ...addressOf(target.seriesId, calendar.id), slot: target.recurrenceId };
}

function resourceTarget({ slot }: EventAddress): ResourceTarget {
  return slot === null ? { kind: 'event' } : { kind: 'occurrence', recurrenceId: slot };
}

function masterOf(changes: readonly EventChange[]): ProviderEvent | undefined {
  const [change] = changes;
  if (change?.kind === 'series') return change.master;
  return change?.kind === 'event' && change.event.seriesId === null ? change.event : undefined;
}

function eventsIn(changes: readonly EventChange[]): readonly ProviderEvent[] {
  return changes.flatMap((change) => {
    if (change.kind === 'series') return [change.master, ...change.exceptions];
    return change.kind === 'event' ? [change.event] : [];
  });
}

/** Returns the event or exception of an address; undefined for a slot without an exception. */
function eventAt(changes: readonly EventChange[], { slot }: EventAddress): ProviderEvent | undefined {
  if (slot === null) return masterOf(changes);
  const key = JSON.stringify(slot);
  return eventsIn(changes).find(({ recurrenceId }) => JSON.stringify(recurrenceId) === key);
}

/**
 * Guests of an object that cannot be read are unknown, so that it may have some.
 * @throws ProviderError unsupported for a write whose mail cannot be withheld: the server sends it, if it does
 */
function requireMail(changes: readonly EventChange[], patch: EventPatch | undefined, options: NotifyOptions): void {
  const hasGuests =
    (patch?.attendees ?? []).length > 0 ||
    changes.some(({ kind }) => kind === 'unreadable') ||
    eventsIn(changes).some(({ content }) => (content?.attendees ?? []).length > 0);
  if (hasGuests) requireQuiet(options);
}

function requireWritable(input: NewEvent, current: EventContent | null, options: NotifyOptions): void {
  requireHoldable(input, current);
  if ((input.attendees ?? []).length > 0) requireQuiet(options);
}

function requireQuiet({ notifyAttendees }: NotifyOptions): void {
  if (notifyAttendees === undefined || notifyAttendees === 'all') return;
  throw unsupported('notifyAttendees', 'a CalDAV server decides alone whether guests get mail');
}
