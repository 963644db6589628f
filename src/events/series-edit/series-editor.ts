import { KalendsError } from '../../errors.ts';
import type { EventPatch, Logger, RecurrenceId } from '../../ports/index.ts';
import type { EventLocator } from '../read/event-locator.ts';
import { noEvent } from '../read/event-locator.ts';
import { presentEvent, recordEtag } from '../read/event-presenter.ts';
import type { EventRecord } from '../read/group-records.ts';
import type { EventIntent, IntentOpener, ResumeSeriesEdit } from '../write/event-intent.ts';
import { type EventUpdateRequest, readEventUpdate } from '../write/event-patch.ts';
import { requireMatch } from '../write/precondition.ts';
import type { WritePlace } from '../write/write-place.ts';
import { carryExceptions } from './carried-exceptions.ts';
import { isOccurrence } from './edit-scope.ts';
import { type FollowingPlan, planFollowing } from './following-plan.ts';
import { runSeriesEdit } from './run-series-edit.ts';
import { createSeriesCalls, type SeriesCalls } from './series-calls.ts';
import { journalOf, type SeriesEdit, type SeriesJournal, UNPLANNED } from './series-journal.ts';
import { changeOf, type SeriesSnapshot, slotTable } from './series-snapshot.ts';
import { planWhole, withoutReturn } from './whole-plan.ts';

export interface SeriesEditorDeps {
  readonly locator: EventLocator;
  readonly intents: IntentOpener;
  readonly logger: Logger;
  readonly toPublicError: (error: unknown) => unknown;
}

/** Outcome of an edit of a series. */
export type SeriesEdited =
  /**
   * Written. `id` is the record to show: the series, the new series, or the occurrence that has come back; `revision` the
   * first one that shows it.
   */
  | { readonly kind: 'written'; readonly id: string; readonly revision: number }
  /** Nothing was asked for that differs. */
  | { readonly kind: 'unchanged' }
  /** Nothing about the slots of the series: a plain write to it, or to the occurrence, does. */
  | { readonly kind: 'plain'; readonly of: 'series' | 'occurrence'; readonly request: EventUpdateRequest }
  /** The occurrence and what follows it are gone. */
  | { readonly kind: 'deleted' }
  /** The whole series is to be deleted. */
  | { readonly kind: 'delete' };

/** Edits of series whose exceptions have to outlive them. */
export interface SeriesEditor {
  /**
   * Updates the series of a record, or what follows an occurrence of it. `body` is read against the record; times are those of
   * the occurrence that it names, and the series moves by the difference.
   */
  update(
    place: WritePlace,
    record: EventRecord,
    scope: 'following' | 'all',
    body: unknown,
    ifMatch: string | undefined,
  ): Promise<SeriesEdited>;
  /** Deletes an occurrence and all later ones. */
  deleteFollowing(place: WritePlace, record: EventRecord, ifMatch: string | undefined): Promise<SeriesEdited>;
  /** Brings a cancelled occurrence back, with a patch laid over what its series says. */
  revive(
    place: WritePlace,
    record: EventRecord,
    request: EventUpdateRequest,
    ifMatch: string | undefined,
  ): Promise<SeriesEdited>;
}

/** How often an edit is planned anew when the series changed between planning and writing. */
const MAX_TRIES = 3;

/** Input of a plan: the series as its provider has it now. */
interface Ground {
  readonly series: SeriesSnapshot;
  readonly record: EventRecord;
  readonly calls: SeriesCalls;
  readonly calendarZone: string;
  readonly ownEmail: string;
}

type Planned = SeriesEdit | Exclude<SeriesEdited, { kind: 'written' | 'deleted' }>;

export function createSeriesEditor(deps: SeriesEditorDeps): SeriesEditor {
  const { locator, intents, logger, toPublicError } = deps;

  /** Plans on fresh ground and works through the plan, all under one intent. */
  async function edit(
    place: WritePlace,
    record: EventRecord,
    ifMatch: string | undefined,
    plan: (ground: Ground) => Planned,
  ): Promise<SeriesEdited> {
    const seriesId = record.group.groupId;
    const order = { kind: 'series-edit', groupIds: [seriesId], data: UNPLANNED } as const;
    for (let tries = 1; ; tries += 1) {
      try {
        return await intents.openIntent(place, order, async (intent) => {
          const calls = callsAt(place);
          const planned = await planFresh(place, record, calls, intent, ifMatch, plan);
          if ('kind' in planned) return planned;
          return await carryOut(place, calls, intent, planned);
        });
      } catch (error) {
        const isStale = KalendsError.isInstance(error) && error.code === 'PreconditionFailed';
        if (!isStale || ifMatch !== undefined || tries >= MAX_TRIES) throw toPublicError(error);
      }
    }
  }

  async function planFresh(
    { key, calendar, account }: WritePlace,
    record: EventRecord,
    calls: SeriesCalls,
    intent: EventIntent,
    ifMatch: string | undefined,
    plan: (ground: Ground) => Planned,
  ): Promise<Planned> {
    try {
      const series = await calls.read(record.group.groupId);
      const found = series === undefined ? await calls.readAny(record.group.groupId) : [changeOf(series)];
      const revision = await intent.apply(found);
      const now = await locator.findAt(key, record.id, { revision, timeZone: calendar.timeZone });
      if (series === undefined || now?.group.master === undefined) throw noEvent();
      requireMatch(ifMatch, recordEtag(now));
      const planned = plan({
        series,
        record: now,
        calls,
        calendarZone: calendar.timeZone,
        ownEmail: account.row.email,
      });
      if ('kind' in planned) await intent.cancel();
      return planned;
    } catch (error) {
      await intent.cancel();
      throw error;
    }
  }

  async function carryOut(
    { notifyAttendees }: WritePlace,
    calls: SeriesCalls,
    intent: EventIntent,
    planned: SeriesEdit,
  ): Promise<SeriesEdited> {
    const journal = journalOf(planned, notifyAttendees);
    await intent.record(journal, { holdsNewItems: planned.insert !== null });
    const outcome = await runSeriesEdit({ calls, intent, journal, isResumed: false, logger });
    if (outcome.kind === 'undone') throw outcome.error;
    return { kind: 'written', id: outcome.newId ?? planned.seriesId, revision: outcome.revision };
  }

  return {
    async update(place, record, scope, body, ifMatch) {
      let isDeletion = false;
      const edited = await edit(place, record, ifMatch, (ground) => {
        const { patch, response } = readRequest(ground, body);
        isDeletion = patch.isCancelled === true;
        if (isDeletion) return scope === 'all' ? { kind: 'delete' } : following(ground, null);
        if (Object.keys(patch).length === 0 && response === undefined) return { kind: 'unchanged' };
        return scope === 'all' ? wholeSeries(ground, patch, response) : following(ground, patch);
      });
      return isDeletion && edited.kind === 'written' ? { kind: 'deleted' } : edited;
    },
    async deleteFollowing(place, record, ifMatch) {
      const edited = await edit(place, record, ifMatch, (ground) => following(ground, null));
      return edited.kind === 'written' ? { kind: 'deleted' } : edited;
    },
    async revive(place, record, request, ifMatch) {
      const edited = await edit(place, record, ifMatch, (ground) => returning(ground, request));
      return edited.kind === 'written' ? { ...edited, id: record.id } : edited;
    },
  };
}

/** Goes on with edits of series that their process has left half-way. */
export function createSeriesEditResumption({ logger }: Pick<SeriesEditorDeps, 'logger'>): ResumeSeriesEdit {
  return async (place, intent) => {
    const journal = intent.data as SeriesJournal;
    const { edit, notifyAttendees } = journal;
    if (edit === null) return intent.cancel();
    const outcome = await runSeriesEdit({
      calls: callsAt({ ...place, notifyAttendees }),
      intent,
      journal: { ...journal, edit },
      isResumed: true,
      logger,
    });
    logger.info('an interrupted edit of a series is over', {
      accountId: place.account.row.id,
      seriesId: edit.seriesId,
      outcome: outcome.kind,
    });
  };
}

function callsAt({ account, calendar, session, notifyAttendees }: WritePlace): SeriesCalls {
  return createSeriesCalls(account.provider.events, session, calendar, { notifyAttendees });
}

/** Reads a body that is written against one record of a series and applies to more of them. */
function readRequest({ series, record, calendarZone, ownEmail }: Ground, body: unknown): EventUpdateRequest {
  const shown = presentEvent(record, undefined);
  const current = isOccurrence(record) ? slotContent(record, series, calendarZone) : series.master.content;
  return readEventUpdate(body, shown, current, {
    isOccurrence: false,
    isOrganizer: series.master.isOrganizer,
    calendarZone,
    ownEmail,
    isForOthers: isOccurrence(record),
  });
}

/** The slot of an occurrence. @throws KalendsError NotFound when the record is none any more */
function slotOf({ recurrenceId }: EventRecord): RecurrenceId {
  if (recurrenceId === null) throw noEvent();
  return recurrenceId;
}

/** Returns the series' content at an occurrence, its exception aside. */
function slotContent(record: EventRecord, { master }: SeriesSnapshot, calendarZone: string) {
  const table = slotTable(master.content, calendarZone);
  return table.contentAt(table.wallOf(slotOf(record)));
}

function following(ground: Ground, patch: EventPatch | null): Planned {
  const { series, record, calls, calendarZone } = ground;
  if (!series.master.isOrganizer) throw new KalendsError('Forbidden', 'Only the organizer can split a series.');
  const plan = planFollowing(series, slotOf(record), patch, { calendarZone, withAnswers: calls.withAnswers });
  if (plan !== 'all') return splitEdit(series, plan);
  if (patch === null) return { kind: 'delete' };
  const { start, end, isAllDay } = slotContent(record, series, calendarZone);
  // A rule that is given is the one from here on: it says nothing of the cancelled occurrences before.
  const beginsAtSlot = patch.recurrence !== undefined && start.dateTime !== series.master.content.start.dateTime;
  const given = beginsAtSlot && patch.recurrence === null ? { start, end, isAllDay, ...patch } : patch;
  return wholeSeries(ground, given, undefined, beginsAtSlot);
}

function splitEdit(series: SeriesSnapshot, { insert, trim, keep, carry }: FollowingPlan): SeriesEdit {
  const change = { kind: 'whole', patch: trim } as const;
  return { seriesId: series.master.providerEventId, before: series, insert, change, keep, carry };
}

function wholeSeries(
  ground: Ground,
  patch: EventPatch,
  response: EventUpdateRequest['response'],
  beginsAtSlot = false,
): Planned {
  const { series, record, calls, calendarZone } = ground;
  const slot = isOccurrence(record) ? slotOf(record) : undefined;
  const plan = planWhole(series, slot, patch, { calendarZone, withAnswers: calls.withAnswers }, beginsAtSlot);
  if (plan === 'plain') return { kind: 'plain', of: 'series', request: { patch: withoutReturn(patch), response } };
  if (response !== undefined) throw new KalendsError('Forbidden', 'Only the organizer can move a series.');
  const change = { kind: 'whole', patch: plan.patch } as const;
  const seriesId = series.master.providerEventId;
  return { seriesId, before: series, insert: null, change, keep: plan.keep, carry: [] };
}

/** The return of a cancelled occurrence. */
function returning({ series, record, calls, calendarZone }: Ground, request: EventUpdateRequest): Planned {
  const patch = withoutReturn(request.patch);
  if (!record.isCancelled) return { kind: 'plain', of: 'occurrence', request };
  const slot = slotOf(record);
  const { wallOf } = slotTable(series.master.content, calendarZone);
  const addressed = { wallMs: wallOf(slot), patch: { isCancelled: false } };
  const keep = carryExceptions(series, series.master.content, {
    calendarZone,
    withAnswers: calls.withAnswers,
    addressed,
  });
  const change = { kind: 'revive', slot, patch } as const;
  return { seriesId: series.master.providerEventId, before: series, insert: null, change, keep, carry: [] };
}
