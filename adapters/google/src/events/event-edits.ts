import type { NotifyAttendees } from 'kalends/model';
import {
  type CalendarRef,
  type EventPatch,
  type EventTarget,
  type NewEvent,
  ProviderError,
  type ProviderEvents,
  type ProviderSession,
  type Untold,
} from 'kalends/ports';
import { randomHex } from 'kalends/runtime';
import type { GoogleSettings, SendUpdates } from '../options.ts';
import { isGone } from '../transport/google-failure.ts';
import { isEcho } from './echo.ts';
import { address, preconditionFailed, tagFor } from './event-address.ts';
import type { EventCalls, WriteCondition } from './event-calls.ts';
import type { EventPull } from './event-pull.ts';
import { isGone as isDeleted, isSeries, readChange, readEvent } from './event-reading.ts';
import type { WireEvent } from './event-wire.ts';
import { type WireBody, withoutNulls, writeBody } from './event-writing.ts';
import { withoutShowAs } from './extensions.ts';
import { requireTaken } from './ignored-change.ts';
import { importCopy } from './import-copy.ts';
import { type Attempt, isMerge, merged } from './merged-writes.ts';
import { isSeenByGuests, sendUpdatesFor } from './notifications.ts';
import { answer } from './own-answer.ts';
import { readOverrides } from './own-marks.ts';
import { recordAfterReturn } from './returned-slot.ts';
import { contentOf, exceptionBefore, privatePropertiesOf, showsAlready } from './state-before-write.ts';
import { isOfGuests, untoldOfContinued, withUntold } from './untold.ts';
import { createWriteResults, deletionOf, rereads, type Written } from './write-results.ts';

type EventEdits = Pick<ProviderEvents, 'check' | 'create' | 'update' | 'delete' | 'respond'>;

/** Creates the writes of events. Every answer that is a series is the whole series, read again. */
export function createEventEdits(
  settings: Pick<GoogleSettings, 'clock' | 'random' | 'logger' | 'limits' | 'sendUpdates'>,
  { calls, reading }: { readonly calls: EventCalls; readonly reading: EventPull },
): EventEdits {
  const { afterWrite, seriesOf, settleConference } = createWriteResults(settings, { calls, reading });

  function bodyOf(calendar: CalendarRef, { target, patch, untold, keepsAnswers = false }: Patching, fresh?: WireEvent) {
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
    return withUntold(isCancelled ? { status: 'confirmed', ...body } : body, untold, fresh);
  }

  async function patchOnce(
    session: ProviderSession,
    calendar: CalendarRef,
    input: Patching,
    attempt: Attempt,
  ): Promise<Written> {
    const { target, patch, untold } = input;
    const merges = isMerge(target, patch) || isOfGuests(untold);
    const content = contentOf(target, target.current.overrides);
    const isReturning = target.kind === 'occurrence' && target.current.isCancelled;
    /** Only what was shown as cancelled, or is asked for, may come back. */
    const mayReturn = target.current.isCancelled || patch.isCancelled === false;
    const mustRead = merges || isReturning || (content !== undefined && isEcho(patch, content));
    const { id, fresh } = await address(calls, session, calendar, { ...input, mustRead });
    // Google answers a deleted event with 200, and would restore it. Only an occurrence can be brought back.
    const isDeletedEvent = target.kind === 'event' && fresh !== undefined && isDeleted(fresh);
    if (isDeletedEvent || (fresh?.status === 'cancelled' && !mayReturn)) {
      throw new ProviderError('not-found', 'the event has been deleted');
    }
    const body = bodyOf(calendar, input, fresh);
    if (isEmpty(body)) {
      const wire = await unchanged(calls, session, calendar.id, { id, fresh, ifMatch: input.ifMatch });
      return { wire, isWritten: false };
    }
    if (fresh !== undefined && untold === undefined && showsAlready(input, fresh, calendar))
      return { wire: fresh, isWritten: false };
    // Under a condition, a slot that was no exception when read must still be none.
    const tag = tagFor(input.ifMatch, target, merges || input.ifMatch !== undefined ? fresh : undefined);
    attempt.isMergeSent = merges;
    const before =
      fresh === undefined ? content : (readEvent(fresh, { calendarZone: calendar.timeZone }).content ?? undefined);
    const plain = withoutShowAs(patch, before, calendar.isPrimary);
    const sendUpdates = mailAbout(input.notifyAttendees, isSeenByGuests(plain, before));
    const wire = await calls.patch(session, calendar.id, id, body, { ifMatch: tag, sendUpdates });
    requireTaken(plain, { wire, before, calendar });
    const isBack = fresh?.status === 'cancelled';
    return { wire: isBack ? await recorded(session, calendar, input, wire) : wire, isWritten: true };
  }

  /** Records anew what an occurrence that is back has of its own. It is back whether or not this succeeds. */
  async function recorded(
    session: ProviderSession,
    calendar: CalendarRef,
    input: Patching,
    wire: WireEvent,
  ): Promise<WireEvent> {
    const record = recordAfterReturn(input, wire, calendar);
    if (record === undefined) return wire;
    try {
      return await calls.patch(session, calendar.id, wire.id, record, { ifMatch: undefined, sendUpdates: 'none' });
    } catch (cause) {
      throw new ProviderError('unavailable', 'the occurrence is back, but what it has of its own is not recorded', {
        cause,
      });
    }
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

    async check(_session, calendar, input) {
      newBody(calendar, input, '');
    },

    async create(session, calendar, input, { requestId, iCalUid, notifyAttendees, continues }) {
      const series = continues && (await unlessGone(() => calls.get(session, calendar.id, continues.seriesId)));
      const body = withoutNulls(newBody(calendar, input, requestId, series));
      let written: WireEvent;
      let isNew = iCalUid === undefined;
      try {
        // Google takes an id or a UID for a new event, not both.
        written =
          iCalUid === undefined
            ? await calls.insert(
                session,
                calendar.id,
                { ...body, id: eventIdOf(requestId) },
                series?.privateCopy === true ? 'none' : mailAbout(notifyAttendees),
              )
            : await importCopy({ calls, reading }, session, calendar, { ...body, iCalUID: iCalUid });
      } catch (error) {
        if (!(ProviderError.isInstance(error) && error.reason === 'conflict')) throw error;
        if (iCalUid !== undefined) return reading.findByUid(session, calendar, iCalUid);
        written = await calls.get(session, calendar.id, eventIdOf(requestId));
        isNew = false;
      }
      const wire = await settleConference(session, calendar, written);
      const change = readChange(wire, { calendarZone: calendar.timeZone });
      if (change.kind !== 'event' || !isSeries(wire)) return [change, ...rereads(wire)];
      // A series that was just made has no exceptions to read; an import may bring those of an earlier copy back.
      const made = isNew
        ? ({ kind: 'series', master: change.event, exceptions: [] } as const)
        : await reading.readSeries(session, calendar, wire);
      return [made, ...rereads(wire)];
    },

    async update(session, calendar, target, patch, writeOptions) {
      const { ifMatch, keepsAnswers, untold, notifyAttendees } = writeOptions;
      if (patch.isCancelled === true) return remove(session, calendar, target, writeOptions);
      const written = await merged(ifMatch, (attempt) =>
        patchOnce(session, calendar, { target, patch, ifMatch, keepsAnswers, untold, notifyAttendees }, attempt),
      );
      const wire = await settleConference(session, calendar, written.wire);
      return [...(await afterWrite(session, calendar, target, { ...written, wire })), ...rereads(wire)];
    },

    async respond(session, calendar, target, response, { ifMatch, notifyAttendees, comment }) {
      const written = await merged(ifMatch, async (attempt) => {
        const { id, fresh } = await address(calls, session, calendar, { target, ifMatch, mustRead: true });
        attempt.isMergeSent = true;
        const condition = { ifMatch: tagFor(ifMatch, target, fresh), sendUpdates: mailAbout(notifyAttendees) };
        return answer(calls, session, calendar, { id, fresh, response, comment, ...condition });
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
  readonly untold: Untold | undefined;
  readonly notifyAttendees: NotifyAttendees | undefined;
}

/** `series`: the one that the event continues, from which it has what no field tells. */
function newBody(calendar: CalendarRef, input: NewEvent, requestId: string, series?: WireEvent): WireBody {
  const body = writeBody(input, {
    content: undefined,
    fresh: series,
    keepsAnswers: series !== undefined,
    isOccurrence: false,
    calendarIsPrimary: calendar.isPrimary,
    allowedConferences: calendar.allowedOnlineMeetingProviders,
    conferenceRequestId: requestId,
  });
  if (series === undefined) return body;
  const untold = untoldOfContinued(series, body);
  // It can be set on insertion only, and is what keeps the guests of an imported series out.
  return { ...body, ...untold, ...(series.privateCopy === true && { privateCopy: true }) };
}

/** Returns the event id of a request. Hexadecimal digits are base32hex digits; a repeated insert is refused as a duplicate. */
export function eventIdOf(requestId: string): string {
  return `kal${requestId}`;
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
    // One that is gone by now was perhaps cancelled by an attempt whose answer is lost.
    await unlessGone(() => calls.delete(session, calendar.id, id, { ifMatch: tag, sendUpdates }));
  }
  const { originalStartTime } = fresh;
  return { id, status: 'cancelled', recurringEventId: target.seriesId, originalStartTime };
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
