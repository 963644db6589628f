import { KalendsError } from '../../errors.ts';
import { type Logger, ProviderError } from '../../ports/index.ts';
import type { EventLocator } from '../read/event-locator.ts';
import { noEvent } from '../read/event-locator.ts';
import { recordEtag } from '../read/event-presenter.ts';
import type { EventRecord } from '../read/group-records.ts';
import type { EventIntent, IntentOpener } from '../write/event-intent.ts';
import type { EventUpdateRequest } from '../write/event-patch.ts';
import { requireMatch } from '../write/precondition.ts';
import type { WritePlace } from '../write/write-place.ts';
import {
  type EditContext,
  type PlannedEdit,
  planFollowingEdit,
  planRevival,
  planWholeEdit,
  planWholeRevival,
  readSeriesUpdate,
} from './plan-edit.ts';
import { requireReadableExceptions } from './require-readable.ts';
import { runSeriesEdit } from './run-series-edit.ts';
import { type SeriesCalls, seriesCallsAt } from './series-calls.ts';
import { journalOf, type SeriesEdit, UNPLANNED } from './series-journal.ts';
import { changeOf } from './series-snapshot.ts';

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
  /** The occurrence and what follows it are gone. */
  | { readonly kind: 'deleted' }
  /** Not written: another kind of write does it. */
  | Exclude<PlannedEdit, SeriesEdit>;

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
  /** Brings all cancelled occurrences of a series back. */
  reviveAll(place: WritePlace, series: EventRecord): Promise<SeriesEdited>;
}

/** How often an edit is planned anew when the series changed between planning and writing. */
const MAX_TRIES = 3;

/** Rethrows the error of an edit that goes on in the background. Throttling would say that nothing is done. */
function throwUnderWay(error: unknown): never {
  if (!ProviderError.isInstance(error) || error.reason !== 'rate-limited') throw error;
  const { retryAfterMs, status } = error;
  throw new ProviderError('unavailable', 'the provider throttles an edit that is under way', {
    cause: error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  });
}

export function createSeriesEditor(deps: SeriesEditorDeps): SeriesEditor {
  const { locator, intents, logger, toPublicError } = deps;

  /** Plans an edit on the series as the provider has it now and carries it out, all under one intent. */
  async function edit(
    place: WritePlace,
    record: EventRecord,
    ifMatch: string | undefined,
    plan: (context: EditContext) => PlannedEdit,
  ): Promise<SeriesEdited> {
    const seriesId = record.group.groupId;
    const order = { kind: 'series-edit', groupIds: [seriesId], data: UNPLANNED } as const;
    for (let tries = 1; ; tries += 1) {
      try {
        return await intents.openIntent(place, order, async (intent) => {
          const calls = seriesCallsAt(place);
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
    plan: (context: EditContext) => PlannedEdit,
  ): Promise<PlannedEdit> {
    try {
      const series = await calls.read(record.group.groupId);
      const found = series === undefined ? await calls.readAny(record.group.groupId) : [changeOf(series)];
      const { revision } = await intent.apply(found);
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
      else requireReadableExceptions(series, planned);
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
    const outcome = await runSeriesEdit({ calls, intent, journal, isResumed: false, logger }).catch(throwUnderWay);
    if (outcome.kind === 'undone') throw outcome.error;
    return { kind: 'written', id: outcome.newId ?? planned.seriesId, revision: outcome.revision };
  }

  return {
    async update(place, record, scope, body, ifMatch) {
      let isDeletion = false;
      const edited = await edit(place, record, ifMatch, (context) => {
        const request = readSeriesUpdate(context, body);
        const { patch, response } = request;
        isDeletion = patch.isCancelled === true;
        if (isDeletion) return scope === 'all' ? { kind: 'delete' } : planFollowingEdit(context, null);
        if (Object.keys(patch).length === 0 && response === undefined) return { kind: 'unchanged' };
        return scope === 'all' ? planWholeEdit(context, request) : planFollowingEdit(context, patch);
      });
      return isDeletion && edited.kind === 'written' ? { kind: 'deleted' } : edited;
    },
    async deleteFollowing(place, record, ifMatch) {
      const edited = await edit(place, record, ifMatch, (context) => planFollowingEdit(context, null));
      return edited.kind === 'written' ? { kind: 'deleted' } : edited;
    },
    async revive(place, record, request, ifMatch) {
      const edited = await edit(place, record, ifMatch, (context) => planRevival(context, request));
      return edited.kind === 'written' ? { ...edited, id: record.id } : edited;
    },
    reviveAll: (place, series) => edit(place, series, undefined, planWholeRevival),
  };
}
