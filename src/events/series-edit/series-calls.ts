import {
  type CalendarRef,
  type ContinuedSeries,
  type EventChange,
  type EventPatch,
  type EventTarget,
  type NewEvent,
  type NotifyOptions,
  ProviderError,
  type ProviderEvent,
  type ProviderEvents,
  type ProviderSession,
  type RecurrenceId,
  type Untold,
} from '../../ports/index.ts';
import type { WritePlace } from '../write/write-place.ts';
import { exceptionFinder, type SeriesSnapshot, slotTable, snapshotOf } from './series-snapshot.ts';

/** The provider's calls for one calendar, as edits of series need them. */
export interface SeriesCalls {
  readonly calendarZone: string;
  /** Whether answers of guests can be written. */
  readonly withAnswers: boolean;
  /** The series now; undefined when it is gone or no series any more. */
  read(seriesId: string): Promise<SeriesSnapshot | undefined>;
  /** Returns the present state of an id, for the mirror. */
  readAny(id: string): Promise<readonly EventChange[]>;
  /** Returns the event under an id; undefined when it is gone. */
  readEvent(id: string): Promise<ProviderEvent | undefined>;
  /** Undefined when it was deleted again since. */
  create(input: NewEvent, requestId: string, continues?: ContinuedSeries): Promise<Created | undefined>;
  /** Returns the event that `create` made under the id; undefined when there is none. */
  findCreated(requestId: string): Promise<Created | undefined>;
  /**
   * Writes to a whole series; resolves with it as it is afterwards, undefined when it is none any more. `began`: its slot that
   * becomes the first.
   */
  update(current: ProviderEvent, patch: EventPatch, began?: RecurrenceId): Promise<SeriesSnapshot | undefined>;
  remove(id: string): Promise<void>;
  /** Writes to one occurrence; resolves with the series afterwards. */
  updateSlot(
    series: SeriesSnapshot,
    slot: RecurrenceId,
    patch: EventPatch,
    untold?: Untold,
  ): Promise<SeriesSnapshot | undefined>;
  cancelSlot(series: SeriesSnapshot, slot: RecurrenceId): Promise<SeriesSnapshot | undefined>;
  /** Returns the objects that the provider asked to be read again later. */
  rereads(): readonly EventChange[];
}

/** A new event, and what the provider said of it. */
export interface Created {
  readonly id: string;
  readonly changes: readonly EventChange[];
}

/** The calls for the calendar of a write, under its session. */
export function seriesCallsAt({ account, calendar, session, notifyAttendees }: WritePlace): SeriesCalls {
  return createSeriesCalls(account.provider.events, session, calendar, { notifyAttendees });
}

export function createSeriesCalls(
  events: ProviderEvents,
  session: ProviderSession,
  calendar: CalendarRef,
  notify: NotifyOptions = {},
): SeriesCalls {
  function slotTarget(series: SeriesSnapshot, slot: RecurrenceId): EventTarget {
    const { master } = series;
    const table = slotTable(master.content, calendar.timeZone);
    const current = exceptionFinder(series, table)(slot) ?? computed(master, slot);
    const content = current.content ?? table.contentAt(table.slotOf(slot));
    return {
      kind: 'occurrence',
      seriesId: master.providerEventId,
      recurrenceId: current.recurrenceId ?? slot,
      current: { ...current, content },
      master,
    };
  }

  const read = (id: string) => events.get(session, calendar, id, { isSeries: true });

  const rereads = new Map<string, EventChange>();

  function noted(changes: readonly EventChange[]): readonly EventChange[] {
    for (const change of changes) if (change.kind === 'reread') rereads.set(change.providerEventId, change);
    return changes.filter(({ kind }) => kind !== 'reread');
  }

  return {
    calendarZone: calendar.timeZone,
    withAnswers: events.carriesAnswers === true,
    rereads: () => [...rereads.values()],
    read: async (seriesId) => snapshotOf(await read(seriesId), seriesId),
    readAny: read,
    readEvent: async (id) => eventOf(await read(id), id),
    async create(input, requestId, continues) {
      return createdIn(noted(await events.create(session, calendar, input, { requestId, continues, ...notify })));
    },
    async findCreated(requestId) {
      const changes = await events.findCreated(session, calendar, requestId);
      return changes.every(({ kind }) => kind === 'deleted') ? undefined : createdIn(changes);
    },
    async update(current, patch, began) {
      const id = current.providerEventId;
      const target: EventTarget = { kind: 'event', providerEventId: id, current };
      const ifMatch = current.providerTag === null ? {} : { ifMatch: current.providerTag };
      const options = { ...ifMatch, ...(began === undefined ? {} : { began }), ...notify };
      return snapshotOf(noted(await events.update(session, calendar, target, patch, options)), id);
    },
    async remove(id) {
      const target: EventTarget = { kind: 'event', providerEventId: id, current: nothingKnownOf(id) };
      await events.delete(session, calendar, target, notify);
    },
    async updateSlot(series, slot, patch, untold) {
      const options = { keepsAnswers: true, untold, ...notify };
      const changes = await events.update(session, calendar, slotTarget(series, slot), patch, options);
      return snapshotOf(noted(changes), series.master.providerEventId);
    },
    async cancelSlot(series, slot) {
      const changes = await events.delete(session, calendar, slotTarget(series, slot), notify);
      return snapshotOf(changes, series.master.providerEventId);
    },
  };
}

function computed(master: ProviderEvent, slot: RecurrenceId): ProviderEvent {
  return {
    ...nothingKnownOf(''),
    seriesId: master.providerEventId,
    recurrenceId: slot,
    isOrganizer: master.isOrganizer,
  };
}

function nothingKnownOf(providerEventId: string): ProviderEvent {
  return {
    providerEventId,
    providerTag: null,
    seriesId: null,
    recurrenceId: null,
    isCancelled: false,
    content: null,
    isOrganizer: true,
  };
}

function eventOf(changes: readonly EventChange[], id: string): ProviderEvent | undefined {
  for (const change of changes) {
    const event = change.kind === 'series' ? change.master : change.kind === 'event' ? change.event : undefined;
    if (event?.providerEventId === id) return event;
  }
  return undefined;
}

function createdIn(changes: readonly EventChange[]): Created | undefined {
  for (const change of changes) {
    if (change.kind === 'deleted') return undefined;
    if (change.kind === 'series') return { id: change.master.providerEventId, changes };
    if (change.kind === 'event' && change.event.seriesId === null) return { id: change.event.providerEventId, changes };
  }
  throw new ProviderError('malformed', 'the provider did not say what it created');
}
