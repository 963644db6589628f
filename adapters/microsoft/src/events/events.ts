import type { ResponseStatus } from 'kalends/model';
import {
  type CalendarRef,
  type EventChange,
  type EventPatch,
  type EventTarget,
  type GetOptions,
  type NotifyOptions,
  ProviderError,
  type ProviderEvent,
  type ProviderEvents,
  type ProviderSession,
  type RecurrenceId,
  type WriteOptions,
} from 'kalends/ports';
import type { MicrosoftSettings } from '../options.ts';
import { pullEvents } from '../sync/event-pull.ts';
import type { GraphClient } from '../transport/graph-client.ts';
import { GraphFailure } from '../transport/graph-failure.ts';
import { afterWrite } from './after-write.ts';
import { readAttachment } from './attachments.ts';
import { readContinued } from './continued-series.ts';
import { createEvent, writeNew } from './event-creation.ts';
import { deletedDates, linesOf, masterOfDeletedSlot, readContextOf, readEvent } from './event-reading.ts';
import { type AnswerOptions, afterDecline, answerPutAway, putAway, sendResponse } from './event-responses.ts';
import { createEventStore } from './event-store.ts';
import { type CurrentEvent, stale, type UpdatedEvent, updateEvent } from './event-update.ts';
import type { WireMaster } from './event-wire.ts';
import type { WrittenEvent } from './event-writing.ts';
import { awaitMeetingLink } from './meeting-link.ts';
import { checkDeletionMail, checkRemakingMail, sendsAnswer } from './notifications.ts';
import { createObjectReader, type ObjectReader } from './object-reader.ts';
import {
  checkUntouched,
  instanceOf,
  notFound,
  notRevivable,
  occurrenceTag,
  updateOccurrence,
} from './occurrence-update.ts';
import {
  carryExceptions,
  continueExceptions,
  deleteSlots,
  isDeletedSlot,
  withExceptionBodies,
} from './series-repair.ts';
import type { UpdateContext } from './update-context.ts';

interface CalendarAccess extends UpdateContext {
  readonly reader: ObjectReader;
  readonly session: ProviderSession;
}

/** Creates the events of Graph calendars. */
export function createEvents(settings: MicrosoftSettings, graph: GraphClient): ProviderEvents {
  function open(session: ProviderSession, calendar: CalendarRef, options: NotifyOptions = {}): CalendarAccess {
    const { notifyAttendees } = options;
    const store = createEventStore(graph, settings, session, calendar.id);
    const read = readContextOf(settings, session, calendar);
    const reader = createObjectReader(store, read);
    return { store, calendar, read, reader, ownAddress: session.email, session, notifyAttendees };
  }

  /** Returns the present state of an id. A missing event proves nothing while the calendar itself may be gone. */
  async function stateOf(access: CalendarAccess, id: string, options: GetOptions = {}): Promise<EventChange> {
    const masterId = masterOfDeletedSlot(id);
    const found = await access.reader.find(
      masterId ?? id,
      masterId === undefined ? options : { ...options, isSeries: true },
    );
    if (found !== undefined) return found;
    await access.store.checkCalendar();
    return { kind: 'deleted', providerEventId: id };
  }

  async function settleMeeting({ store, session }: CalendarAccess, id: string, { body }: WrittenEvent): Promise<void> {
    if (body['isOnlineMeeting'] === true) await awaitMeetingLink(store, settings, session, id);
  }

  async function updateWhole(
    access: CalendarAccess,
    { providerEventId: id, current }: Extract<EventTarget, { kind: 'event' }>,
    patch: EventPatch,
    { ifMatch, began }: WriteOptions,
  ): Promise<EventChange> {
    const readCurrent = async (): Promise<CurrentEvent> => {
      const whole = await access.store.findWhole(id, isSeries(current));
      if (whole === undefined) throw notFound();
      if (!dropsExceptions(patch)) return { before: whole };
      requireReadableExceptions(whole);
      return { before: await withExceptionBodies(access.store, whole) };
    };
    const updated = await updateEvent(access, readCurrent, patch, ifMatch);
    return afterWrite(async () => {
      await settleMeeting(access, id, updated.written);
      await repairSeries(access, updated, patch, began);
      return stateOf(access, id, { isSeries: updated.before.type === 'seriesMaster' });
    });
  }

  /** Adapts exceptions and deletions to new times or a new rule. */
  async function repairSeries(
    access: CalendarAccess,
    { before, written }: UpdatedEvent,
    patch: EventPatch,
    began: RecurrenceId | undefined,
  ) {
    const hasNewTimes = 'start' in written.body || 'recurrence' in written.body;
    if (hasNewTimes && written.body['recurrence'] !== null && before.type === 'seriesMaster') {
      const shown = linesOf(before, access.read);
      // Deletions from EXDATE lines stay only if the new lines name them too.
      const told = patch.recurrence === undefined ? new Set<string>() : shown.excludedDates;
      const keep = [...deletedDates(before)].filter((date) => !told.has(date));
      await carryExceptions(access, before, { keepDeleted: new Set(keep), began });
    }
    await deleteSlots(access, before.id, written.excludedDates ?? []);
  }

  /** Reads the event to delete only where mail about it is to be withheld. */
  async function checkDeletion(access: CalendarAccess, id: string): Promise<void> {
    if (access.notifyAttendees === undefined || access.notifyAttendees === 'all') return;
    const event = await access.store.find(id);
    if (event !== undefined) checkDeletionMail(access, event);
  }

  async function remove(
    access: CalendarAccess,
    target: EventTarget,
    ifMatch: string | undefined,
  ): Promise<readonly EventChange[]> {
    if (target.kind === 'event') {
      await checkDeletion(access, target.providerEventId);
      await access.store
        .delete(target.providerEventId, ifMatch)
        .catch((error: unknown) => requireGone(access, target, error));
      return [{ kind: 'deleted', providerEventId: target.providerEventId }];
    }
    const tag = await occurrenceTag(access, target, ifMatch);
    const instance = await instanceOf(access, target);
    if (instance !== undefined) {
      checkUntouched(instance, target, ifMatch);
      checkDeletionMail(access, instance);
      const seen = ifMatch === undefined ? undefined : (instance['@odata.etag'] ?? undefined);
      await unlessGone(access.store.delete(instance.id, tag ?? seen));
    } else if (!(await isDeletedSlot(access, target))) {
      // Graph expands the rule to other slots than the mirror does.
      throw notFound();
    }
    return [await afterWrite(() => access.reader.readSeries(target.seriesId))];
  }

  /** Answers an event that is gone: a declined one can be declined again, or accepted while Exchange keeps it. */
  async function answerToGone(
    access: CalendarAccess,
    target: EventTarget,
    response: ResponseStatus,
    answer: AnswerOptions,
  ): Promise<EventChange> {
    if (!target.current.isKeptLocally) throw notFound();
    if (response === 'declined') return { kind: 'event', event: target.current };
    if (response === 'needsAction' || target.kind === 'occurrence') throw putAway();
    await answerPutAway(access.store, target.providerEventId, response, answer);
    const now = await afterWrite(() => stateOf(access, target.providerEventId));
    if (now.kind === 'deleted') throw putAway();
    return now;
  }

  return {
    // The feed and the search for recent changes.
    callsPerPull: 2,

    pull: (session, calendar, token, known) => pullEvents({ graph, settings, session, calendar, known }, token),

    listTags: (session, calendar) => open(session, calendar).store.listTags(),

    async get(session, calendar, providerEventId, options) {
      return [await stateOf(open(session, calendar), providerEventId, options)];
    },

    async listAttachments(session, calendar, providerEventId) {
      const { store } = open(session, calendar);
      return (await store.listAttachments(providerEventId)).map(readAttachment);
    },

    getDescription: (session, calendar, providerEventId, format) =>
      open(session, calendar).store.readBody(providerEventId, format),

    async check(session, calendar, input, { notifyAttendees }) {
      writeNew(open(session, calendar, { notifyAttendees }), input, 'iana');
    },

    async create(session, calendar, input, { requestId, notifyAttendees, continues }) {
      const access = open(session, calendar, { notifyAttendees });
      const continued = continues && (await readContinued(access, continues, input));
      if (continued) checkRemakingMail(access, continued.series);
      const created = await createEvent(access, settings, session, input, { requestId, continued });
      if (created.isOnlineMeeting) await awaitMeetingLink(access.store, settings, session, created.id);
      if (continued) {
        const { series, exceptions } = continued;
        await afterWrite(() => continueExceptions(access, series, { id: created.id, exceptions }));
      }
      const found = await afterWrite(() =>
        access.reader.find(created.id, { isSeries: created.type === 'seriesMaster' }),
      );
      return [found ?? { kind: 'event', event: readEvent(created, access.read) }];
    },

    async findCreated(session, calendar, requestId) {
      const access = open(session, calendar);
      const found = await access.store.findRequested(requestId);
      if (found !== undefined && 'kind' in found) return [found];
      if (found !== undefined) return [await stateOf(access, found.id, { isSeries: found.type === 'seriesMaster' })];
      await access.store.checkCalendar();
      return [];
    },

    async update(session, calendar, target, patch, options) {
      const { ifMatch, notifyAttendees } = options;
      const access = open(session, calendar, { notifyAttendees });
      if (patch.isCancelled === true) return remove(access, target, ifMatch);
      if (target.kind === 'occurrence') {
        const { before, written } = await updateOccurrence(access, target, patch, ifMatch);
        return afterWrite(async () => {
          await settleMeeting(access, before.id, written);
          return [await access.reader.readSeries(target.seriesId)];
        });
      }
      const { isCancelled, ...rest } = patch;
      if (isCancelled === false && target.current.isCancelled) throw notRevivable();
      return [await updateWhole(access, target, rest, options)];
    },

    delete: (session, calendar, target, { ifMatch, notifyAttendees }) =>
      remove(open(session, calendar, { notifyAttendees }), target, ifMatch),

    async respond(session, calendar, target, response, { ifMatch, notifyAttendees, comment }) {
      // Graph would answer in the owner's name.
      if (calendar.isShared)
        throw new ProviderError('forbidden', "an invitation on another person's calendar is theirs");
      const answer = { isSent: sendsAnswer(notifyAttendees), comment };
      const access = open(session, calendar);
      const tag = target.kind === 'occurrence' ? await occurrenceTag(access, target, ifMatch) : ifMatch;
      const id = target.kind === 'occurrence' ? target.seriesId : target.providerEventId;
      const wire =
        target.kind === 'occurrence'
          ? await instanceOf(access, target)
          : await access.store.find(target.providerEventId);
      if (wire === undefined) return [await answerToGone(access, target, response, answer)];
      if (target.kind === 'occurrence') checkUntouched(wire, target, ifMatch);
      // Graph's actions know no If-Match.
      if (tag !== undefined && wire['@odata.etag'] !== tag) throw stale();
      const ofSeries = target.kind === 'occurrence' || isSeries(target.current);
      const before = response === 'declined' ? await stateOf(access, id, { isSeries: ofSeries }) : undefined;
      const isAnswered = await sendResponse(access.store, wire, response, answer);
      // A declined invitation goes to the deleted items, where its id may still answer.
      const mustBeListed = response === 'declined';
      const now = await afterWrite(() => stateOf(access, id, { isSeries: ofSeries, mustBeListed }));
      return [before !== undefined && isAnswered ? afterDecline(target, before, now, access.ownAddress) : now];
    },
  };
}

/**
 * Refuses new times or a new rule for a series with an unreadable exception: Exchange drops exceptions then, and this one could
 * not be made anew.
 * @throws ProviderError unreadable
 */
function requireReadableExceptions(before: WireMaster): void {
  const [odd] = before.unreadableExceptions ?? [];
  if (odd !== undefined) throw new ProviderError('unreadable', odd.reason);
}

/** Exchange drops the exceptions of a series with new times or a new rule. */
function dropsExceptions({ start, end, isAllDay, recurrence }: EventPatch): boolean {
  return [start, end, isAllDay, recurrence].some((field) => field !== undefined);
}

/** Whether an event is a series as far as the mirror knows. */
function isSeries({ content }: ProviderEvent): boolean {
  return content !== null && content.recurrence !== null;
}

/** Passes over the failure of a deletion when the event is gone from the calendar. */
async function requireGone(
  { reader }: CalendarAccess,
  { providerEventId, current }: Extract<EventTarget, { kind: 'event' }>,
  error: unknown,
): Promise<void> {
  if (ProviderError.isInstance(error) && error.reason === 'not-found') return;
  // So answers an immutable id whose item is among the deleted ones already, as when the answer to the first attempt was lost.
  if (!(error instanceof GraphFailure && error.code === 'ErrorCannotDeleteObject')) throw error;
  const found = await reader.find(providerEventId, { isSeries: isSeries(current), mustBeListed: true });
  if (found !== undefined) throw error;
}

async function unlessGone(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(ProviderError.isInstance(error) && error.reason === 'not-found')) throw error;
  }
}
