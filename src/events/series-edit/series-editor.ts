import type { AccountAccess } from '../../accounts/account-access.ts';
import { KalendsError } from '../../errors.ts';
import type { EventPatch, Logger, SlotStart } from '../../ports/index.ts';
import { parseOccurrenceId } from '../../sync/occurrence-id.ts';
import type { EventLocator } from '../event-locator.ts';
import { noEvent } from '../event-locator.ts';
import { type EventUpdateRequest, readEventUpdate } from '../event-patch.ts';
import { memberEtag, presentEvent } from '../event-presenter.ts';
import type { Member } from '../group-members.ts';
import type { HeldIntent, IntentRoom, ResumeSplit } from '../intents/held-intent.ts';
import type { WritePlace } from '../intents/write-place.ts';
import { requireMatch } from '../precondition.ts';
import { carryExceptions } from './carried-exceptions.ts';
import { isOccurrence } from './edit-scope.ts';
import { type FollowingPlan, planFollowing } from './following-plan.ts';
import { runSeriesEdit } from './run-series-edit.ts';
import { createSeriesCalls, type SeriesCalls } from './series-calls.ts';
import { journalOf, type SeriesEdit, type SeriesJournal, UNPLANNED } from './series-journal.ts';
import { changeOf, type SeriesSnapshot, slotTable } from './series-snapshot.ts';
import { planWhole, withoutReturn } from './whole-plan.ts';

export interface SeriesEditorDeps {
  readonly accounts: AccountAccess;
  readonly locator: EventLocator;
  readonly intents: IntentRoom;
  readonly logger: Logger;
  readonly toPublicError: (error: unknown) => unknown;
}

/** What an edit of a series came to. */
export type SeriesEdited =
  /** Written. `id` is the record to show: the series, the new series, or the occurrence that has come back. */
  | { readonly kind: 'written'; readonly id: string }
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
    member: Member,
    scope: 'following' | 'all',
    body: unknown,
    ifMatch: string | undefined,
  ): Promise<SeriesEdited>;
  /** Deletes an occurrence and all later ones. */
  deleteFollowing(place: WritePlace, member: Member, ifMatch: string | undefined): Promise<SeriesEdited>;
  /** Brings a cancelled occurrence back, with a patch laid over what its series says. */
  revive(
    place: WritePlace,
    member: Member,
    request: EventUpdateRequest,
    ifMatch: string | undefined,
  ): Promise<SeriesEdited>;
}

/** How often an edit is planned anew when the series changed between planning and writing. */
const MAX_TRIES = 3;

/** What a plan is made from: the series as its provider has it just now. */
interface Ground {
  readonly series: SeriesSnapshot;
  readonly member: Member;
  readonly calls: SeriesCalls;
  readonly calendarZone: string;
  readonly ownEmail: string;
}

type Planned = SeriesEdit | Exclude<SeriesEdited, { kind: 'written' | 'deleted' }>;

export function createSeriesEditor(deps: SeriesEditorDeps): SeriesEditor {
  const { accounts, locator, intents, logger, toPublicError } = deps;

  function callsAt({ account, calendar }: WritePlace): SeriesCalls {
    return createSeriesCalls(account.provider.events, accounts.session(account), calendar);
  }

  /** Plans on fresh ground and works through the plan, all under one intent. */
  async function edit(
    place: WritePlace,
    member: Member,
    ifMatch: string | undefined,
    plan: (ground: Ground) => Planned,
  ): Promise<SeriesEdited> {
    const seriesId = member.group.groupId;
    const order = { kind: 'split', groupIds: [seriesId], data: UNPLANNED } as const;
    for (let tries = 1; ; tries += 1) {
      try {
        return await intents.under(place, order, async (intent) => {
          const planned = await planFresh(place, member, intent, ifMatch, plan);
          if ('kind' in planned) return planned;
          return await carryOut(place, intent, planned);
        });
      } catch (error) {
        const isStale = KalendsError.isInstance(error) && error.code === 'PreconditionFailed';
        if (!isStale || ifMatch !== undefined || tries >= MAX_TRIES) throw toPublicError(error);
      }
    }
  }

  async function planFresh(
    place: WritePlace,
    member: Member,
    intent: HeldIntent,
    ifMatch: string | undefined,
    plan: (ground: Ground) => Planned,
  ): Promise<Planned> {
    try {
      const calls = callsAt(place);
      const series = await calls.read(member.group.groupId);
      await intent.apply(series === undefined ? await calls.readAny(member.group.groupId) : [changeOf(series)]);
      const now = await locator.find(place.key, member.id);
      if (series === undefined || now?.group.master === undefined) throw noEvent();
      requireMatch(ifMatch, memberEtag(now));
      const { calendar, account } = place;
      const planned = plan({
        series,
        member: now,
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

  async function carryOut(place: WritePlace, intent: HeldIntent, planned: SeriesEdit): Promise<SeriesEdited> {
    const journal = journalOf(planned);
    await intent.record(journal, { holdsNewItems: planned.insert !== null });
    const outcome = await runSeriesEdit({ calls: callsAt(place), intent, journal, isResumed: false, logger });
    if (outcome.kind === 'undone') throw outcome.error;
    return { kind: 'written', id: outcome.newId ?? planned.seriesId };
  }

  return {
    async update(place, member, scope, body, ifMatch) {
      let isDeletion = false;
      const edited = await edit(place, member, ifMatch, (ground) => {
        const { patch, response } = readRequest(ground, body);
        isDeletion = patch.isCancelled === true;
        if (isDeletion) return scope === 'all' ? { kind: 'delete' } : following(ground, null);
        if (Object.keys(patch).length === 0 && response === undefined) return { kind: 'unchanged' };
        return scope === 'all' ? wholeSeries(ground, patch, response) : following(ground, patch);
      });
      return isDeletion && edited.kind === 'written' ? { kind: 'deleted' } : edited;
    },
    async deleteFollowing(place, member, ifMatch) {
      const edited = await edit(place, member, ifMatch, (ground) => following(ground, null));
      return edited.kind === 'written' ? { kind: 'deleted' } : edited;
    },
    async revive(place, member, request, ifMatch) {
      const edited = await edit(place, member, ifMatch, (ground) => returning(ground, request));
      return edited.kind === 'written' ? { kind: 'written', id: member.id } : edited;
    },
  };
}

/** Goes on with edits of series that their process has left half-way. */
export function createSplitResumption(deps: Pick<SeriesEditorDeps, 'accounts' | 'logger'>): ResumeSplit {
  const { accounts, logger } = deps;
  return async (place, intent) => {
    const journal = intent.data as SeriesJournal;
    if (journal.edit === null) return intent.cancel();
    const { account, calendar } = place;
    const calls = createSeriesCalls(account.provider.events, accounts.session(account), calendar);
    const outcome = await runSeriesEdit({ calls, intent, journal, isResumed: true, logger });
    const { seriesId } = journal.edit;
    logger.info('an interrupted edit of a series is over', {
      accountId: account.row.id,
      seriesId,
      outcome: outcome.kind,
    });
  };
}

/** What a body asks for that names one record of a series and means more of it. */
function readRequest({ series, member, calendarZone, ownEmail }: Ground, body: unknown): EventUpdateRequest {
  const shown = presentEvent(member, undefined);
  const current = isOccurrence(member) ? slotContent(member, series, calendarZone) : series.master.content;
  return readEventUpdate(body, shown, current, {
    isOccurrence: false,
    isOrganizer: series.master.isOrganizer,
    calendarZone,
    ownEmail,
    isForOthers: isOccurrence(member),
  });
}

function slotOf(member: Member): SlotStart {
  return member.item?.event.originalStart ?? parseOccurrenceId(member.id)!.slot;
}

/** What the series says of an occurrence, whatever the occurrence says itself. */
function slotContent(member: Member, { master }: SeriesSnapshot, calendarZone: string) {
  const table = slotTable(master.content, calendarZone);
  return table.contentAt(table.wallOf(slotOf(member)));
}

function following(ground: Ground, patch: EventPatch | null): Planned {
  const { series, member, calls, calendarZone } = ground;
  if (!series.master.isOrganizer) throw new KalendsError('Forbidden', 'Only the organizer can split a series.');
  const plan = planFollowing(series, slotOf(member), patch, { calendarZone, withAnswers: calls.withAnswers });
  if (plan !== 'all') return splitEdit(series, plan);
  if (patch === null) return { kind: 'delete' };
  const { start, end, isAllDay } = slotContent(member, series, calendarZone);
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
  const { series, member, calls, calendarZone } = ground;
  const slot = isOccurrence(member) ? slotOf(member) : undefined;
  const plan = planWhole(series, slot, patch, { calendarZone, withAnswers: calls.withAnswers }, beginsAtSlot);
  if (plan === 'plain') return { kind: 'plain', of: 'series', request: { patch: withoutReturn(patch), response } };
  if (response !== undefined) throw new KalendsError('Forbidden', 'Only the organizer can move a series.');
  const change = { kind: 'whole', patch: plan.patch } as const;
  const seriesId = series.master.providerEventId;
  return { seriesId, before: series, insert: null, change, keep: plan.keep, carry: [] };
}

/** The return of a cancelled occurrence. */
function returning({ series, member, calls, calendarZone }: Ground, request: EventUpdateRequest): Planned {
  const patch = withoutReturn(request.patch);
  if (!member.isCancelled) return { kind: 'plain', of: 'occurrence', request };
  const slot = slotOf(member);
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
