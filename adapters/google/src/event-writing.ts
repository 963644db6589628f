import type { ResponseStatus } from 'kalends/model';
import {
  type CalendarRef,
  type Clock,
  type EventChange,
  type EventContent,
  type EventOverrides,
  type EventPatch,
  type EventTarget,
  exceptionContent,
  type Logger,
  type NewEvent,
  ProviderError,
  type ProviderEvents,
  type ProviderSession,
  type Random,
} from 'kalends/ports';
import { randomHex } from 'kalends/runtime';
import { ownEntry, readResponse } from './attendees.ts';
import { isConferencePending } from './conference.ts';
import { isEcho } from './echo.ts';
import { isGone } from './errors.ts';
import { address, preconditionFailed, tagFor } from './event-address.ts';
import { type WireBody, withoutNulls, writeBody } from './event-body.ts';
import type { EventCalls } from './event-calls.ts';
import { isSeries, readChange, readEvent } from './event-mapping.ts';
import type { EventReading } from './event-reading.ts';
import { type ExceptionBefore, unnotedOverrides } from './extended-properties.ts';
import { readOverrides } from './own-marks.ts';
import { pause } from './transport.ts';
import type { WireEvent } from './wire.ts';

export interface EventWritingOptions {
  readonly calls: EventCalls;
  readonly reading: EventReading;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger | undefined;
  /** Waits between looks at a conference that is being created; then the engine is asked to look again. */
  readonly conferenceWaitsMs: readonly number[];
}

type EventWriting = Pick<ProviderEvents, 'create' | 'update' | 'delete' | 'respond'>;

/** How often a write that is laid over a fresh read is redone when somebody else was faster. */
const MERGE_ATTEMPTS = 3;

/** Writes events. Every answer that is a series is the whole series, read again. */
export function createEventWriting(options: EventWritingOptions): EventWriting {
  const { calls, reading } = options;

  async function afterWrite(
    session: ProviderSession,
    calendar: CalendarRef,
    target: EventTarget,
    { wire: written, isWritten }: Written,
  ): Promise<readonly EventChange[]> {
    // An instance that was not written to may be none that the series has to tell of.
    if (target.kind === 'occurrence') return seriesOf(session, calendar, target, isWritten ? written : undefined);
    if (written.status === 'cancelled') return [readChange(written, calendar.timeZone)];
    if (isSeries(written)) return [await reading.readSeries(session, calendar, written)];
    const event = readChange(written, calendar.timeZone);
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
    if (master.status === 'cancelled') return [readChange(master, calendar.timeZone)];
    return [await reading.readSeries(session, calendar, master, written)];
  }

  async function settleConference(
    session: ProviderSession,
    calendar: CalendarRef,
    written: WireEvent,
  ): Promise<WireEvent> {
    let event = written;
    try {
      for (const waitMs of options.conferenceWaitsMs) {
        if (!isConferencePending(event)) break;
        await pause(options.clock, waitMs, session.signal);
        event = await calls.get(session, calendar.id, event.id);
      }
    } catch (error) {
      // The write itself is done, and the next sync brings the link: a failed look must not make it a failed write.
      if (!ProviderError.isInstance(error)) throw error;
      options.logger?.warn('a google meeting is left pending', { accountId: session.accountId, reason: error.reason });
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
      // An instance whose series we cannot see is written to as an event of its own.
      isOccurrence: target.kind === 'occurrence' || target.current.seriesId !== null,
      calendarIsPrimary: calendar.isPrimary,
      allowedConferences: calendar.allowedOnlineMeetingProviders,
      conferenceRequestId: randomHex(options.random),
      keepsAnswers,
    });
    return isCancelled ? { ...body, status: 'confirmed' } : body;
  }

  async function patchOnce(session: ProviderSession, calendar: CalendarRef, input: Patching): Promise<Written> {
    const { target, patch } = input;
    const merges = patch.attendees !== undefined || (target.kind === 'occurrence' && writesProperties(patch));
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
    // A slot that was no exception just now must be none still when a condition was given.
    const tag = tagFor(input.ifMatch, target, merges || input.ifMatch !== undefined ? fresh : undefined);
    return { wire: await calls.patch(session, calendar.id, id, body, tag), isWritten: true };
  }

  const remove: EventWriting['delete'] = async (session, calendar, target, { ifMatch }) => {
    if (target.kind === 'event') {
      await unlessGone(() => calls.delete(session, calendar.id, target.providerEventId, ifMatch));
      return [deletionOf(target)];
    }
    const cancelled = await unlessGone(() => cancelInstance(calls, session, calendar, { target, ifMatch }));
    return seriesOf(session, calendar, target, cancelled);
  };

  return {
    delete: remove,

    async create(session, calendar, input, { requestId }) {
      const body = withoutNulls(newBody(calendar, input, requestId));
      let written: WireEvent;
      try {
        written = await calls.insert(session, calendar.id, { ...body, id: eventIdOf(requestId) });
      } catch (error) {
        if (!(ProviderError.isInstance(error) && error.reason === 'conflict')) throw error;
        return reading.get(session, calendar, eventIdOf(requestId));
      }
      const wire = await settleConference(session, calendar, written);
      const change = readChange(wire, calendar.timeZone);
      // A series that was just made has no exceptions to read.
      const isNewSeries = isSeries(wire) && change.kind === 'event';
      const made = isNewSeries ? ({ kind: 'series', master: change.event, exceptions: [] } as const) : change;
      return [made, ...rereads(wire)];
    },

    async update(session, calendar, target, patch, writeOptions) {
      const { ifMatch, keepsAnswers } = writeOptions;
      if (patch.isCancelled === true) return remove(session, calendar, target, writeOptions);
      const written = await redone(ifMatch, () =>
        patchOnce(session, calendar, { target, patch, ifMatch, keepsAnswers }),
      );
      const wire = await settleConference(session, calendar, written.wire);
      return [...(await afterWrite(session, calendar, target, { ...written, wire })), ...rereads(wire)];
    },

    async respond(session, calendar, target, response, { ifMatch }) {
      const written = await redone(ifMatch, async () => {
        const { id, fresh } = await address(calls, session, calendar, { target, ifMatch, mustRead: true });
        return answer(calls, session, calendar.id, { id, fresh, response, ifMatch: tagFor(ifMatch, target, fresh) });
      });
      return afterWrite(session, calendar, target, written);
    },
  };
}

/** A patch and what it is laid over. */
interface Patching {
  readonly target: EventTarget;
  readonly patch: EventPatch;
  readonly ifMatch: string | undefined;
  readonly keepsAnswers: boolean | undefined;
}

/** An object after a write, or as it was found where nothing had to be written. */
interface Written {
  readonly wire: WireEvent;
  readonly isWritten: boolean;
}

/** A meeting that is still being created is looked at again later. */
function rereads(wire: WireEvent): readonly EventChange[] {
  return isConferencePending(wire) ? [{ kind: 'reread', providerEventId: wire.recurringEventId ?? wire.id }] : [];
}

function showsAlready({ patch, target }: Patching, fresh: WireEvent, calendar: CalendarRef): boolean {
  if (fresh.status === 'cancelled') return false;
  const { content, overrides } = readEvent(fresh, calendar.timeZone);
  if (content === null) return false;
  const series = target.kind === 'occurrence' ? target.master.content : null;
  return isEcho(patch, series === null ? content : exceptionContent(content, overrides, series));
}

/** Content shown by a target before a write; an occurrence is shown beside its series. */
function contentOf(target: EventTarget, overrides: EventOverrides | undefined): EventContent | undefined {
  const { content } = target.current;
  if (target.kind === 'event') return content ?? undefined;
  const series = target.master.content;
  if (content === null || series === null) return content ?? series ?? undefined;
  return exceptionContent(content, overrides, series);
}

/** State of an occurrence that a write of its properties needs; undefined for a single event. */
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

/** What the feed will say of it too: of an instance without its series a cancelled slot, of anything else nothing. */
function deletionOf({ providerEventId, current }: Extract<EventTarget, { kind: 'event' }>): EventChange {
  if (current.seriesId === null) return { kind: 'deleted', providerEventId };
  const event = { ...current, providerTag: null, isCancelled: true, content: null, isOrganizer: false };
  return { kind: 'event', event };
}

/** Hexadecimal digits are base32hex digits: a repeated insert meets the first one's id and is refused as a duplicate. */
export function eventIdOf(requestId: string): string {
  return `kal${requestId}`;
}

/** Lays a merge over a fresh read again when somebody was faster; with a tag of the caller's that is the caller's to do. */
async function redone<Result>(ifMatch: string | undefined, write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      const isStale = ProviderError.isInstance(error) && error.reason === 'precondition-failed';
      if (!isStale || ifMatch !== undefined || attempt >= MERGE_ATTEMPTS) throw error;
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

/** Resolves with the tombstone of the instance, for a list that does not show it yet. */
async function cancelInstance(
  calls: EventCalls,
  session: ProviderSession,
  calendar: CalendarRef,
  input: { readonly target: Extract<EventTarget, { kind: 'occurrence' }>; readonly ifMatch: string | undefined },
): Promise<WireEvent> {
  const { target, ifMatch } = input;
  const { id, fresh } = await address(calls, session, calendar, { target, ifMatch, mustRead: true });
  if (fresh === undefined) throw new ProviderError('not-found', 'the occurrence is gone');
  if (fresh.status !== 'cancelled') {
    const tag = tagFor(ifMatch, target, ifMatch === undefined ? undefined : fresh);
    await calls.delete(session, calendar.id, id, tag);
  }
  const { start, originalStartTime = start } = fresh;
  return { id, status: 'cancelled', recurringEventId: target.seriesId, originalStartTime };
}

/**
 * Sets the account's own answer alone: with `attendeesOmitted` Google leaves the other guests as they are, whoever
 * answers at the same time.
 */
async function answer(
  calls: EventCalls,
  session: ProviderSession,
  calendarId: string,
  input: {
    readonly id: string;
    readonly fresh: WireEvent | undefined;
    readonly response: ResponseStatus;
    readonly ifMatch: string | undefined;
  },
): Promise<Written> {
  const { id, fresh, response, ifMatch } = input;
  const own = fresh === undefined ? undefined : ownEntry(fresh);
  if (fresh === undefined || fresh.status === 'cancelled') {
    throw new ProviderError('not-found', 'the event has been cancelled');
  }
  if (fresh.organizer?.self === true || own?.organizer === true) {
    throw new ProviderError('forbidden', 'the organizer of an event does not answer its invitation');
  }
  // Google would add the account as a guest of an event that it was never asked to.
  if (own?.email == null) throw new ProviderError('forbidden', 'the account is not invited to this event');
  if (readResponse(own.responseStatus) === response) return { wire: fresh, isWritten: false };
  const body = { attendeesOmitted: true, attendees: [{ email: own.email, responseStatus: response }] };
  return { wire: await calls.patch(session, calendarId, id, body, ifMatch), isWritten: true };
}

/** A patch that changes nothing is not sent: it would raise the version and mail the guests. */
async function unchanged(
  calls: EventCalls,
  session: ProviderSession,
  calendarId: string,
  input: { readonly id: string; readonly fresh: WireEvent | undefined; readonly ifMatch: string | undefined },
): Promise<WireEvent> {
  // What was just read has been compared already.
  if (input.fresh !== undefined) return input.fresh;
  const event = await calls.get(session, calendarId, input.id);
  if (input.ifMatch !== undefined && event.etag !== input.ifMatch) throw preconditionFailed();
  return event;
}

function isEmpty(body: WireBody): boolean {
  return Object.keys(body).length === 0;
}
