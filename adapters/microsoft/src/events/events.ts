import {
  type CalendarRef,
  type EventChange,
  type EventPatch,
  type EventTarget,
  ProviderError,
  type ProviderEvents,
  type ProviderSession,
} from 'kalends/ports';
import type { MicrosoftSettings } from '../options.ts';
import { createDeltaStrategy } from '../sync/delta-strategy.ts';
import { pullEvents } from '../sync/event-pull.ts';
import type { GraphClient } from '../transport/graph-client.ts';
import { deletedDates, linesOf, masterOfDeletedSlot, type ReadContext, readEvent } from './event-reading.ts';
import { afterDecline, sendResponse } from './event-responses.ts';
import { createEventStore } from './event-store.ts';
import { inEitherNaming, stale, type UpdateContext, updateEvent } from './event-update.ts';
import type { WireEvent, WireMaster } from './event-wire.ts';
import { writeEvent } from './event-writing.ts';
import { createObjectReader, type ObjectReader } from './object-reader.ts';
import { findInstance, type OccurrenceTarget } from './occurrence-resolution.ts';
import { carryExceptions, deleteSlots } from './series-repair.ts';

interface CalendarAccess extends UpdateContext {
  readonly reader: ObjectReader;
}

/** Events of Graph calendars. */
export function createEvents(settings: MicrosoftSettings, graph: GraphClient): ProviderEvents {
  const strategy = createDeltaStrategy(settings);

  function open(session: ProviderSession, calendar: CalendarRef): CalendarAccess {
    const store = createEventStore(graph, settings, session, calendar.id);
    const read: ReadContext = { calendarZone: calendar.timeZone, logger: settings.logger };
    return { store, calendar, read, reader: createObjectReader(store, read) };
  }

  /** What an id names now. An event that is not found proves nothing while the calendar itself may be gone. */
  async function stateOf(access: CalendarAccess, id: string): Promise<EventChange> {
    const found = await access.reader.find(masterOfDeletedSlot(id) ?? id);
    if (found !== undefined) return found;
    await access.store.checkCalendar();
    return { kind: 'deleted', providerEventId: id };
  }

  /** Whether the slot was deleted, as far as the series is still there. */
  async function slotGone(access: CalendarAccess, target: OccurrenceTarget): Promise<ProviderError> {
    const master = await access.store.find(target.seriesId);
    return master === undefined
      ? notFound()
      : new ProviderError('unsupported', 'Graph cannot restore a deleted occurrence', { field: 'isCancelled' });
  }

  function instanceOf(access: CalendarAccess, target: OccurrenceTarget): Promise<WireEvent | undefined> {
    const knownId = target.current.isCancelled ? '' : target.current.providerEventId;
    return findInstance(access.store, { ...target, knownId }, access.read);
  }

  /** The tag to send for an occurrence. A slot that is no exception has none of its own: the master's stands for it. */
  async function occurrenceTag(
    access: CalendarAccess,
    target: OccurrenceTarget,
    ifMatch: string | undefined,
  ): Promise<string | undefined> {
    if (ifMatch === undefined || target.current.providerEventId !== '') return ifMatch;
    const master = await access.store.find(target.seriesId);
    if (master !== undefined && master['@odata.etag'] !== ifMatch) throw stale();
    return undefined;
  }

  async function updateOccurrence(
    access: CalendarAccess,
    target: OccurrenceTarget,
    patch: EventPatch,
    ifMatch: string | undefined,
  ): Promise<EventChange> {
    const tag = await occurrenceTag(access, target, ifMatch);
    const readCurrent = async (): Promise<WireEvent> => {
      const instance = await instanceOf(access, target);
      if (instance === undefined) throw await slotGone(access, target);
      return instance;
    };
    await updateEvent(access, readCurrent, patch, tag);
    return access.reader.readSeries(target.seriesId);
  }

  async function updateWhole(
    access: CalendarAccess,
    id: string,
    patch: EventPatch,
    ifMatch: string | undefined,
  ): Promise<EventChange> {
    const readCurrent = async (): Promise<WireMaster | WireEvent> => {
      const wire = await access.store.find(id);
      const whole = wire?.type === 'seriesMaster' ? await access.store.findMaster(id) : wire;
      if (whole === undefined) throw notFound();
      return whole;
    };
    const { before, written } = await updateEvent(access, readCurrent, patch, ifMatch);
    const hasNewTimes = 'start' in written.body || 'recurrence' in written.body;
    if (hasNewTimes && written.body['recurrence'] !== null && before.type === 'seriesMaster') {
      const shown = linesOf(before, access.read);
      // Deletions that EXDATE lines told of stay only if the new lines tell of them too.
      const told = patch.recurrence === undefined ? new Set<string>() : shown.excludedDates;
      const keep = [...deletedDates(before)].filter((date) => !told.has(date));
      await carryExceptions(access, before, new Set([...keep, ...(written.excludedDates ?? [])]));
    } else {
      await deleteSlots(access, id, written.excludedDates ?? []);
    }
    return stateOf(access, id);
  }

  async function remove(
    access: CalendarAccess,
    target: EventTarget,
    ifMatch: string | undefined,
  ): Promise<readonly EventChange[]> {
    if (target.kind === 'event') {
      await unlessGone(access.store.delete(target.providerEventId, ifMatch));
      return [{ kind: 'deleted', providerEventId: target.providerEventId }];
    }
    const tag = await occurrenceTag(access, target, ifMatch);
    const instance = await instanceOf(access, target);
    if (instance !== undefined) await unlessGone(access.store.delete(instance.id, tag));
    return [await access.reader.readSeries(target.seriesId)];
  }

  return {
    pull: (session, calendar, token) => pullEvents({ graph, settings, strategy, session, calendar }, token),

    async get(session, calendar, providerEventId) {
      return [await stateOf(open(session, calendar), providerEventId)];
    },

    async create(session, calendar, input, { requestId }) {
      const access = open(session, calendar);
      if (input.isCancelled) {
        throw new ProviderError('unsupported', 'an event cannot be created as cancelled', { field: 'isCancelled' });
      }
      const { created, excludedDates } = await inEitherNaming(async (naming) => {
        const written = writeEvent(input, { calendar, before: null, naming });
        const body = { ...written.body, transactionId: requestId };
        return { created: await access.store.create(body), excludedDates: written.excludedDates ?? [] };
      });
      await deleteSlots(access, created.id, excludedDates);
      return [(await access.reader.find(created.id)) ?? { kind: 'event', event: readEvent(created, access.read) }];
    },

    async update(session, calendar, target, patch, { ifMatch }) {
      const access = open(session, calendar);
      const { isCancelled, ...rest } = patch;
      if (isCancelled === true) return remove(access, target, ifMatch);
      if (isCancelled === false && target.current.isCancelled) {
        throw new ProviderError('unsupported', 'Graph cannot restore what was cancelled', { field: 'isCancelled' });
      }
      return [
        target.kind === 'occurrence'
          ? await updateOccurrence(access, target, rest, ifMatch)
          : await updateWhole(access, target.providerEventId, rest, ifMatch),
      ];
    },

    delete: (session, calendar, target, { ifMatch }) => remove(open(session, calendar), target, ifMatch),

    async respond(session, calendar, target, response, { ifMatch }) {
      const access = open(session, calendar);
      const tag = target.kind === 'occurrence' ? await occurrenceTag(access, target, ifMatch) : ifMatch;
      const id = target.kind === 'occurrence' ? target.seriesId : target.providerEventId;
      const wire =
        target.kind === 'occurrence'
          ? await instanceOf(access, target)
          : await access.store.find(target.providerEventId);
      if (wire === undefined) return [answerToGone(target, response)];
      // Graph's actions know no If-Match.
      if (tag !== undefined && wire['@odata.etag'] !== tag) throw stale();
      const before = response === 'declined' ? await stateOf(access, id) : undefined;
      const isSent = await sendResponse(access.store, wire, response);
      const now = await stateOf(access, id);
      return [before !== undefined && isSent ? afterDecline(target, before, now) : now];
    },
  };
}

/** An answer to something that is gone: a declined event can be declined again, and nothing else. */
function answerToGone(target: EventTarget, response: string): EventChange {
  if (!target.current.isKeptLocally) throw notFound();
  if (response !== 'declined') {
    throw new ProviderError('unsupported', 'Graph has put the declined event away', { field: 'responseStatus' });
  }
  return { kind: 'event', event: target.current };
}

function notFound(): ProviderError {
  return new ProviderError('not-found', 'Graph has no such event', { status: 404 });
}

async function unlessGone(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(ProviderError.isInstance(error) && error.reason === 'not-found')) throw error;
  }
}
