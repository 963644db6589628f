import { KalendsError } from '../../errors.ts';
import type { EventContent, EventPatch, RecurrenceId } from '../../ports/index.ts';
import { noEvent } from '../read/event-locator.ts';
import { presentEvent } from '../read/event-presenter.ts';
import type { EventRecord } from '../read/group-records.ts';
import { type EventUpdateRequest, readEventUpdate } from '../write/event-patch.ts';
import { carryExceptions, isStub } from './carried-exceptions.ts';
import { isOccurrence } from './edit-scope.ts';
import { planFollowing } from './following-plan.ts';
import { buildsOnRecurrence, requireReadableRecurrence } from './require-readable.ts';
import type { SeriesCalls } from './series-calls.ts';
import type { SeriesEdit } from './series-journal.ts';
import { type SeriesSnapshot, slotTable } from './series-snapshot.ts';
import { planWhole, withoutReturn } from './whole-plan.ts';

/** A series as its provider has it now, and the record of it that an edit names. */
export interface EditContext {
  readonly series: SeriesSnapshot;
  readonly record: EventRecord;
  readonly calls: SeriesCalls;
  readonly calendarZone: string;
  readonly ownEmail: string;
}

/** The edit to carry out, or another kind of write that does the same. */
export type PlannedEdit =
  | SeriesEdit
  /** Nothing was asked for that differs. */
  | { readonly kind: 'unchanged' }
  /** Nothing about the slots of the series: a plain write to it, or to the occurrence, does. */
  | { readonly kind: 'plain'; readonly of: 'series' | 'occurrence'; readonly request: EventUpdateRequest }
  /** The whole series is to be deleted. */
  | { readonly kind: 'delete' };

/** Reads a body that is written against one record of a series and applies to more of them. */
export function readSeriesUpdate(
  { series, record, calendarZone, ownEmail }: EditContext,
  body: unknown,
): EventUpdateRequest {
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

/**
 * Plans a patch of an occurrence and all later ones, or their deletion (null). Where nothing living comes before the occurrence, the
 * whole series is meant.
 */
export function planFollowingEdit(context: EditContext, patch: EventPatch | null): PlannedEdit {
  const { series, record, calls, calendarZone } = context;
  if (!series.master.isOrganizer) throw new KalendsError('Forbidden', 'Only the organizer can split a series.');
  const from = slotOf(record);
  const plan = planFollowing(series, from, patch, { calendarZone, withAnswers: calls.withAnswers });
  const table = slotTable(series.master.content, calendarZone);
  const isAtStart = table.slotOf(from).wallMs === table.compiled.series.dtstartMs;
  // From its start on it is the whole series, whatever the lines say that cannot be read.
  if (plan !== 'all' || !isAtStart) requireReadableRecurrence(series);
  if (plan !== 'all') {
    const { insert, trim, keep, carry } = plan;
    return { ...editOf(series), insert, from, change: { kind: 'whole', patch: trim }, keep, carry };
  }
  if (patch === null) return { kind: 'delete' };
  const { start, end, isAllDay } = slotContent(record, series, calendarZone);
  // A rule that is given is the one from here on: it says nothing of the cancelled occurrences before.
  const beginsAtSlot = patch.recurrence !== undefined && !isAtStart;
  const given = beginsAtSlot && patch.recurrence === null ? { start, end, isAllDay, ...patch } : patch;
  return planWholeEdit(context, { patch: given, response: undefined }, beginsAtSlot);
}

/** Plans a change of all of a series. `beginsAtSlot`: the occurrence becomes the first one. */
export function planWholeEdit(
  { series, record, calls, calendarZone }: EditContext,
  { patch, response }: EventUpdateRequest,
  beginsAtSlot = false,
): PlannedEdit {
  if (buildsOnRecurrence(series, patch)) requireReadableRecurrence(series);
  const slot = isOccurrence(record) ? slotOf(record) : undefined;
  const plan = planWhole(series, slot, patch, { calendarZone, withAnswers: calls.withAnswers }, beginsAtSlot);
  if (plan === 'plain') return { kind: 'plain', of: 'series', request: { patch: withoutReturn(patch), response } };
  if (response !== undefined) throw new KalendsError('Forbidden', 'Only the organizer can move a series.');
  const began = beginsAtSlot ? slot : undefined;
  return { ...editOf(series), change: { kind: 'whole', patch: plan.patch, began }, keep: plan.keep };
}

/** Plans the return of a cancelled occurrence. */
export function planRevival(context: EditContext, request: EventUpdateRequest): PlannedEdit {
  const { series, record, calls, calendarZone } = context;
  if (!record.isCancelled) return { kind: 'plain', of: 'occurrence', request };
  const slot = slotOf(record);
  const { slotOf: slotNamed } = slotTable(series.master.content, calendarZone);
  const addressed = { slot: slotNamed(slot), patch: { isCancelled: false } };
  const options = { calendarZone, withAnswers: calls.withAnswers, addressed };
  const keep = carryExceptions(series, series.master.content, options);
  return { ...editOf(series), change: { kind: 'revive', slot, patch: withoutReturn(request.patch) }, keep };
}

/** Plans the return of all cancelled occurrences. */
export function planWholeRevival({ series, calendarZone }: EditContext): PlannedEdit {
  const table = slotTable(series.master.content, calendarZone);
  const cancelled = series.exceptions.filter((exception) => isStub(exception) && table.has(exception.recurrenceId));
  const [first, ...others] = cancelled.map(({ recurrenceId }) => recurrenceId);
  if (first === undefined) return { kind: 'unchanged' };
  const keep = others.map((slot) => ({ slot, isCancelled: false, patch: {} }));
  return { ...editOf(series), change: { kind: 'revive', slot: first, patch: {} }, keep };
}

/** The parts of an edit without a new half. */
function editOf(series: SeriesSnapshot): Pick<SeriesEdit, 'seriesId' | 'before' | 'insert' | 'carry'> {
  return { seriesId: series.master.providerEventId, before: series, insert: null, carry: [] };
}

/** The slot of an occurrence. @throws KalendsError NotFound when the record is none any more */
function slotOf({ recurrenceId }: EventRecord): RecurrenceId {
  if (recurrenceId === null) throw noEvent();
  return recurrenceId;
}

/** Returns the series' content at an occurrence, its exception aside. */
function slotContent(record: EventRecord, { master }: SeriesSnapshot, calendarZone: string): EventContent {
  const table = slotTable(master.content, calendarZone);
  return table.contentAt(table.slotOf(slotOf(record)));
}
