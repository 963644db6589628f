import type { NotifyAttendees, ResponseStatus } from 'kalends/model';
import {
  type CalendarRef,
  type EventChange,
  type EventContent,
  type EventOverrides,
  type EventPatch,
  type EventTarget,
  exceptionContent,
  type NewEvent,
  ProviderError,
  type ProviderEvents,
  type ProviderSession,
} from 'kalends/ports';
import { randomHex } from 'kalends/runtime';
import type { GoogleSettings, SendUpdates } from '../options.ts';
import { isGone, unsupported } from '../transport/google-failure.ts';
import { ownEntry, readResponse, withOwnResponse } from './attendees.ts';
import { isConferencePending } from './conference.ts';
import { isEcho } from './echo.ts';
import { address, preconditionFailed, tagFor } from './event-address.ts';
import type { EventCalls, WriteCondition } from './event-calls.ts';
import type { EventPull } from './event-pull.ts';
import { isSeries, readChange, readEvent } from './event-reading.ts';
import type { WireEvent } from './event-wire.ts';
import { type WireBody, withoutNulls, writeBody } from './event-writing.ts';
import { type ExceptionBefore, unnotedOverrides } from './extended-properties.ts';
import { withoutShowAs } from './extensions.ts';
import { isSeenByGuests, sendUpdatesFor } from './notifications.ts';
import { readOverrides } from './own-marks.ts';

type EventEdits = Pick<ProviderEvents, 'create' | 'update' | 'delete' | 'respond'>;

/** Attempts of a write that is merged into a fresh read. */
const MERGE_ATTEMPTS = 3;

/** Creates the writes of events. Every answer that is a series is the whole series, read again. */
export function createEventEdits(
  settings: Pick<GoogleSettings, 'clock' | 'random' | 'logger' | 'limits' | 'sendUpdates'>,
  { calls, reading }: { readonly calls: EventCalls; readonly reading: EventPull },
): EventEdits {
  async function afterWrite(
    session: ProviderSession,
    calendar: CalendarRef,
    target: EventTarget,
    { wire: written, isWritten }: Written,
  ): Promise<readonly EventChange[]> {
    // An instance that was not written to may be no exception at all.
    if (target.kind === 'occurrence') return seriesOf(session, calendar, target, isWritten ? written : undefined);
    if (written.status === 'cancelled') return [readChange(written, { calendarZone: calendar.timeZone })];
    if (isSeries(written)) return [await reading.readSeries(session, calendar, written)];
    const event = readChange(written, { calendarZone: calendar.timeZone });
    const wasSeries = target.current.content?.recurrence != null;
    // A series that became a single event takes its exceptions with it.
    return wasSeries && event.kind === 'event' ? [{ kind: 'series', master: event.event, exceptions: [] }] : [event];
  }

  async function seriesOf(
    session: ProviderSession,
    calendar: CalendarRef,
    target: Extract<EventTarget, { kind: 'occurrence' }>,
    written?: WireEvent,
  ): Promise<readonly EventChange[]> {
    let master: WireEvent;
    try {
      master = await calls.get(session, calendar.id, target.seriesId);
    } catch (error) {
      if (!isGone(error)) throw error;
      return reading.get(session, calendar, target.seriesId);
    }
    if (master.status === 'cancelled') return [readChange(master, { calendarZone: calendar.timeZone })];
    return [await reading.readSeries(session, calendar, master, written)];
  }

  async function settleConference(
    session: ProviderSession,
    calendar: CalendarRef,
    written: WireEvent,
  ): Promise<WireEvent> {
    let event = written;
    try {
      for (const waitMs of settings.limits.conferenceWaitsMs) {
        if (!isConferencePending(event)) break;
        await settings.clock.sleep(waitMs, session.signal);
        event = await calls.get(session, calendar.id, event.id);
      }
    } catch (error) {
      // The write is done and the next sync brings the link: a failed read must not make it a failed write.
      if (!ProviderError.isInstance(error) && session.signal?.aborted !== true) throw error;
      settings.logger?.warn('a google meeting is left pending', { accountId: session.accountId });
    }
    return event;
  }

  function bodyOf(calendar: CalendarRef, { target, patch, keepsAnswers = false }: Patching, fresh?: WireEvent) {
    const isCancelled = fresh === undefined ? target.current.isCancelled : fresh.status === 'cancelled';
    const overrides = fresh === undefined ? target.current.overrides : readOverrides(privatePropertiesOf(fresh));
    const body = writeBody(patch, {
      content: contentOf(target, overrides),
      fresh,
      exception: exceptionBefore(target, fresh, isCancelled),
      // An instance whose series is out of reach is written to as a single event.
      isOccurrence: target.kind === 'occurrence' || target.current.seriesId !== null,
      calendarIsPrimary: calendar.isPrimary,
      allowedConferences: calendar.allowedOnlineMeetingProviders,
      conferenceRequestId: randomHex(settings.random),
      keepsAnswers,
    });
    return isCancelled ? { status: 'confirmed', ...body } : body;
  }

  async function patchOnce(
    session: ProviderSession,
    calendar: CalendarRef,
    input: Patching,
    attempt: Attempt,
  ): Promise<Written> {
    const { target, patch } = input;
    const merges = isMerge(target, patch);
    const content = contentOf(target, target.current.overrides);
    const isReturning = target.kind === 'occurrence' && target.current.isCancelled;
    const mustRead = merges || isReturning || (content !== undefined && isEcho(patch, content));
    const { id, fresh } = await address(calls, session, calendar, { ...input, mustRead });
    const body = bodyOf(calendar, input, fresh);
    if (isEmpty(body)) {
      const wire = await unchanged(calls, session, calendar.id, { id, fresh, ifMatch: input.ifMatch });
      return { wire, isWritten: false };
    }
    if (fresh !== undefined && showsAlready(input, fresh, calendar)) return { wire: fresh, isWritten: false };
    // Under a condition, a slot that was no exception when read must still be none.
    const tag = tagFor(input.ifMatch, target, merges || input.ifMatch !== undefined ? fresh : undefined);
    attempt.isMergeSent = merges;
    const before =
      fresh === undefined ? content : (readEvent(fresh, { calendarZone: calendar.timeZone }).content ?? undefined);
    const plain = withoutShowAs(patch, before, calendar.isPrimary);
    const sendUpdates = mailAbout(input.notifyAttendees, isSeenByGuests(plain, before));
    const wire = await calls.patch(session, calendar.id, id, body, { ifMatch: tag, sendUpdates });
    return { wire, isWritten: true };
  }

  function mailAbout(notifyAttendees: NotifyAttendees | undefined, isSeen = true): SendUpdates {
    return sendUpdatesFor(notifyAttendees, { usual: settings.sendUpdates, isSeen });
  }

  const remove: EventEdits['delete'] = async (session, calendar, target, { ifMatch, notifyAttendees }) => {
    const sendUpdates = mailAbout(notifyAttendees);
    if (target.kind === 'event') {
      const { providerEventId } = target;
      await unlessGone(() => calls.delete(session, calendar.id, providerEventId, { ifMatch, sendUpdates }));
      return [deletionOf(target)];
    }
    const input = { target, ifMatch, sendUpdates };
    const cancelled = await unlessGone(() => cancelInstance(calls, session, calendar, input));
    return seriesOf(session, calendar, target, cancelled);
  };

  return {
    delete: remove,

    async create(session, calendar, input, { requestId, notifyAttendees }) {
      const body = withoutNulls(newBody(calendar, input, requestId));
      let written: WireEvent;
      try {
        const event = { ...body, id: eventIdOf(requestId) };
        written = await calls.insert(session, calendar.id, event, mailAbout(notifyAttendees));
      } catch (error) {
        if (!(ProviderError.isInstance(error) && error.reason === 'conflict')) throw error;
        return reading.get(session, calendar, eventIdOf(requestId));
      }
      const wire = await settleConference(session, calendar, written);
      const change = readChange(wire, { calendarZone: calendar.timeZone });
      // A series that was just made has no exceptions to read.
      const isNewSeries = isSeries(wire) && change.kind === 'event';
      const made = isNewSeries ? ({ kind: 'series', master: change.event, exceptions: [] } as const) : change;
      return [made, ...rereads(wire)];
    },

    async update(session, calendar, target, patch, writeOptions) {
      const { ifMatch, keepsAnswers, notifyAttendees } = writeOptions;
      if (patch.isCancelled === true) return remove(session, calendar, target, writeOptions);
      const written = await merged(ifMatch, (attempt) =>
        patchOnce(session, calendar, { target, patch, ifMatch, keepsAnswers, notifyAttendees }, attempt),
      );
      const wire = await settleConference(session, calendar, written.wire);
      return [...(await afterWrite(session, calendar, target, { ...written, wire })), ...rereads(wire)];
    },

    async respond(session, calendar, target, response, { ifMatch, notifyAttendees, comment }) {
      const written = await merged(ifMatch, async (attempt) => {
        const { id, fresh } = await address(calls, session, calendar, { target, ifMatch, mustRead: true });
        attempt.isMergeSent = true;
        const condition = { ifMatch: tagFor(ifMatch, target, fresh), sendUpdates: mailAbout(notifyAttendees) };
        return answer(calls, session, calendar.id, { id, fresh, response, comment, ...condition });
      });
      return afterWrite(session, calendar, target, written);
    },
  };
}

/** A patch and its target. */
interface Patching {
  readonly target: EventTarget;
  readonly patch: EventPatch;
  readonly ifMatch: string | undefined;
  readonly keepsAnswers: boolean | undefined;
  readonly notifyAttendees: NotifyAttendees | undefined;
}

/** An object after a write, or as read where nothing had to be written. */
interface Written {
  readonly wire: WireEvent;
  readonly isWritten: boolean;
}

/** Asks for a later read of a meeting that Google is still creating. */
function rereads(wire: WireEvent): readonly EventChange[] {
  return isConferencePending(wire) ? [{ kind: 'reread', providerEventId: wire.recurringEventId ?? wire.id }] : [];
}

function showsAlready({ patch, target }: Patching, fresh: WireEvent, calendar: CalendarRef): boolean {
  if (fresh.status === 'cancelled') return false;
  const { content, overrides } = readEvent(fresh, { calendarZone: calendar.timeZone });
  if (content === null) return false;
  const series = target.kind === 'occurrence' ? target.master.content : null;
  return isEcho(patch, series === null ? content : exceptionContent(content, overrides, series));
}

/** Returns the content of a target before a write; an occurrence inherits from its series. */
function contentOf(target: EventTarget, overrides: EventOverrides | undefined): EventContent | undefined {
  const { content } = target.current;
  if (target.kind === 'event') return content ?? undefined;
  const series = target.master.content;
  if (content === null || series === null) return content ?? series ?? undefined;
  return exceptionContent(content, overrides, series);
}

/** Returns the state of an occurrence for a write of its properties; undefined for a single event. */
function exceptionBefore(
  target: EventTarget,
  fresh: WireEvent | undefined,
  isCancelled: boolean,
): ExceptionBefore | undefined {
  const series = target.kind === 'occurrence' ? target.master.content : null;
  if (series === null) return undefined;
  const content = isCancelled ? series : (target.current.content ?? series);
  const noted = isCancelled || fresh === undefined ? undefined : readOverrides(privatePropertiesOf(fresh));
  return {
    overrides: noted ?? unnotedOverrides(content, series),
    private: privatePropertiesOf(fresh),
    isReset: isCancelled && fresh?.extendedProperties != null,
  };
}

function privatePropertiesOf(fresh: WireEvent | undefined): Readonly<Record<string, string>> {
  return fresh?.extendedProperties?.private ?? {};
}

function writesProperties(patch: EventPatch): boolean {
  const { publicExtendedProperties, privateExtendedProperties, customColor } = patch;
  return [publicExtendedProperties, privateExtendedProperties, customColor].some((part) => part !== undefined);
}

function newBody(calendar: CalendarRef, input: NewEvent, requestId: string): WireBody {
  return writeBody(input, {
    content: undefined,
    fresh: undefined,
    isOccurrence: false,
    calendarIsPrimary: calendar.isPrimary,
    allowedConferences: calendar.allowedOnlineMeetingProviders,
    conferenceRequestId: requestId,
  });
}

/** Returns the change as the feed will report it: an instance without its series becomes a cancelled slot. */
function deletionOf({ providerEventId, current }: Extract<EventTarget, { kind: 'event' }>): EventChange {
  if (current.seriesId === null) return { kind: 'deleted', providerEventId };
  const event = { ...current, providerTag: null, isCancelled: true, content: null, isOrganizer: false };
  return { kind: 'event', event };
}

/** Returns the event id of a request. Hexadecimal digits are base32hex digits; a repeated insert is refused as a duplicate. */
export function eventIdOf(requestId: string): string {
  return `kal${requestId}`;
}

/** Returns true for a patch that is merged into what Google has now, and sent under the tag of that read. */
function isMerge(target: EventTarget, patch: EventPatch): boolean {
  return patch.attendees !== undefined || (target.kind === 'occurrence' && writesProperties(patch));
}

/** One attempt of a write. */
interface Attempt {
  /** Whether a merge went out under the tag of its read: its outcome is unknown if the call fails. */
  isMergeSent: boolean;
}

/**
 * Reads and writes again when the event changed in between, or when the outcome of a merge is unknown. Under the caller's
 * own tag a second read could not tell our write from another one: the caller decides.
 */
async function merged<Result>(
  ifMatch: string | undefined,
  write: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    const attempt: Attempt = { isMergeSent: false };
    try {
      return await write(attempt);
    } catch (error) {
      if (ifMatch !== undefined || attempts >= MERGE_ATTEMPTS || !ProviderError.isInstance(error)) throw error;
      const isUnknown = attempt.isMergeSent && (error.reason === 'unavailable' || error.reason === 'timeout');
      if (!isUnknown && error.reason !== 'precondition-failed') throw error;
    }
  }
}

async function unlessGone<Result>(write: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await write();
  } catch (error) {
    if (!isGone(error)) throw error;
    return undefined;
  }
}

/** Cancels an instance and resolves with its tombstone, for a list that does not show it yet. */
async function cancelInstance(
  calls: EventCalls,
  session: ProviderSession,
  calendar: CalendarRef,
  input: { readonly target: Extract<EventTarget, { kind: 'occurrence' }> } & WriteCondition,
): Promise<WireEvent> {
  const { target, ifMatch, sendUpdates } = input;
  const { id, fresh } = await address(calls, session, calendar, { target, ifMatch, mustRead: true });
  if (fresh === undefined) throw new ProviderError('not-found', 'the occurrence is gone');
  if (fresh.status !== 'cancelled') {
    const tag = tagFor(ifMatch, target, ifMatch === undefined ? undefined : fresh);
    await calls.delete(session, calendar.id, id, { ifMatch: tag, sendUpdates });
  }
  const { start, originalStartTime } = fresh;
  return { id, status: 'cancelled', recurringEventId: target.seriesId, originalStartTime, start };
}

/**
 * Sets the account's own answer alone: with `attendeesOmitted` Google keeps the other guests' answers, concurrent ones too.
 */
async function answer(
  calls: EventCalls,
  session: ProviderSession,
  calendarId: string,
  input: {
    readonly id: string;
    readonly fresh: WireEvent | undefined;
    readonly response: ResponseStatus;
    readonly comment: string | null | undefined;
  } & WriteCondition,
): Promise<Written> {
  const { id, fresh, response, comment, ...condition } = input;
  const own = fresh === undefined ? undefined : ownEntry(fresh);
  if (fresh === undefined || fresh.status === 'cancelled') {
    throw new ProviderError('not-found', 'the event has been cancelled');
  }
  if (fresh.organizer?.self === true || own?.organizer === true) {
    throw new ProviderError('forbidden', 'the organizer of an event does not answer its invitation');
  }
  // Google would add the account as a guest without an invitation.
  if (own?.email == null) throw new ProviderError('forbidden', 'the account is not invited to this event');
  const isSaid = comment === undefined || (comment ?? '') === (own.comment ?? '');
  if (readResponse(own.responseStatus) === response && isSaid) return { wire: fresh, isWritten: false };
  const body = isSaid
    ? { attendeesOmitted: true, attendees: [{ email: own.email, responseStatus: response }] }
    : { attendees: listWithComment(fresh, response, comment ?? null) };
  return { wire: await calls.patch(session, calendarId, id, body, condition), isWritten: true };
}

/** Returns the whole list: Google ignores a comment beside `attendeesOmitted`. */
function listWithComment(fresh: WireEvent, response: ResponseStatus, comment: string | null) {
  if (fresh.attendeesOmitted === true) {
    throw unsupported('comment', 'Google shows only part of the guest list of this event');
  }
  return withOwnResponse(fresh, response, comment);
}

/** Resolves with the event unsent: a patch that changes nothing would raise the version and mail the guests. */
async function unchanged(
  calls: EventCalls,
  session: ProviderSession,
  calendarId: string,
  input: { readonly id: string; readonly fresh: WireEvent | undefined; readonly ifMatch: string | undefined },
): Promise<WireEvent> {
  // A fresh read has been compared already.
  if (input.fresh !== undefined) return input.fresh;
  const event = await calls.get(session, calendarId, input.id);
  if (input.ifMatch !== undefined && event.etag !== input.ifMatch) throw preconditionFailed();
  return event;
}

function isEmpty(body: WireBody): boolean {
  return Object.keys(body).length === 0;
}
