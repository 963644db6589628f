import { KalendsError } from '../../errors.ts';
import { isRefusal, wasNotCarriedOut } from '../../intents/index.ts';
import { canonicalJson } from '../../mirror/index.ts';
import type { EventChange, EventPatch, Logger, NewEvent, ProviderEvent, RecurrenceId } from '../../ports/index.ts';
import { compileSeries, parseRecurrence, RecurrenceError, serializeRecurrence } from '../../recurrence/index.ts';
import type { EventIntent } from '../write/event-intent.ts';
import { dtstartOf } from '../write/input-recurrence.ts';
import { isStub } from './carried-exceptions.ts';
import { restoreExceptions, reviveSlot } from './restore-exceptions.ts';
import type { Created, SeriesCalls } from './series-calls.ts';
import type { PlannedJournal, SeriesChange, SeriesJournal } from './series-journal.ts';
import { FOLLOWED_BY } from './series-link.ts';
import { changeOf, type SeriesSnapshot, slotTable, snapshotOf } from './series-snapshot.ts';

/** How an edit of a series ended. Its intent is over in either case. */
export type SeriesEditOutcome =
  /** Done; `newId` is the new half of a split, `revision` the first one that shows the edit. */
  | { readonly kind: 'done'; readonly newId: string | null; readonly revision: number }
  /** Refused by the provider, or overtaken by another write: the series is as it was without the edit. */
  | { readonly kind: 'undone'; readonly error: unknown };

export interface SeriesEditRun {
  readonly calls: SeriesCalls;
  readonly intent: EventIntent;
  readonly journal: PlannedJournal;
  /** Another process began the edit and did not finish it. */
  readonly isResumed: boolean;
  readonly logger: Logger;
}

/** How often a write is repeated over a series whose tag moved without a change. */
const MAX_TRIES = 3;

/**
 * Runs the steps of an edit from where its journal stands; each can be repeated. Throws an error that leaves the outcome of
 * a step unknown: the intent stays open, and the process that resumes it goes on.
 *
 * A change of a single series (no new half) is sent by the process that planned it only. A process that resumes it
 * completes a change that has taken effect, and sends nothing that the user may have undone since.
 */
export async function runSeriesEdit(run: SeriesEditRun): Promise<SeriesEditOutcome> {
  const { calls, intent, isResumed } = run;
  const restoring = { isResumed, logger: run.logger };
  let journal = run.journal;
  const { edit } = journal;
  /** The halves as last read. */
  let old: SeriesSnapshot | undefined;
  let made: SeriesSnapshot | undefined;
  /** The new half where it does not recur. */
  let single: readonly EventChange[] = [];

  async function record(
    next: Partial<Omit<SeriesJournal, 'edit'>>,
    hold?: { readonly groupIds: readonly string[] },
  ): Promise<void> {
    journal = { ...journal, ...next };
    await intent.record(journal, hold);
  }

  /** Ends the edit with the old series as it is now. */
  async function leave(error: unknown): Promise<SeriesEditOutcome> {
    if (journal.newId !== null) {
      if (journal.phase !== 'undo') await record({ phase: 'undo' });
      await calls.remove(journal.newId);
    }
    const now = await calls.readAny(edit.seriesId);
    const gone: EventChange[] = journal.newId === null ? [] : [{ kind: 'deleted', providerEventId: journal.newId }];
    await intent.finish([...gone, ...now]);
    return { kind: 'undone', error };
  }

  async function insert(input: NewEvent): Promise<SeriesEditOutcome | undefined> {
    let created: Created | undefined;
    try {
      created = await calls.create(input, intent.ref.id);
    } catch (error) {
      if (!(isResumed ? isRefusal(error) : wasNotCarriedOut(error))) throw error;
      // Turned away at last, but an attempt before that may have got through without an answer.
      created = isRefusal(error) ? undefined : await calls.findCreated(intent.ref.id);
      if (created === undefined) {
        await intent.cancel();
        return { kind: 'undone', error };
      }
    }
    // The new half was made, and deleted again by someone else.
    if (created === undefined) return leave(new KalendsError('Conflict', 'The new series has been deleted meanwhile.'));
    made = snapshotOf(created.changes, created.id);
    single = made === undefined ? created.changes : [];
    await record({ phase: 'change', newId: created.id }, { groupIds: [created.id] });
    return undefined;
  }

  async function change(): Promise<SeriesEditOutcome | undefined> {
    if (edit.change.kind === 'revive') return revive(edit.change);
    const { patch } = edit.change;
    // With unchanged slots a read does not show whether the change was applied: only a resumed run has to guess.
    const isShowing = isResumed || !hasSlotsOf(edit.before.master, edit.before, patch);
    let current: ProviderEvent | undefined = isResumed ? undefined : edit.before.master;
    for (let tries = 1; ; tries += 1) {
      if (current === undefined) {
        const now = await calls.readEvent(edit.seriesId);
        if (now === undefined) return leave(deletedMeanwhile());
        if (isShowing && hasSlotsOf(now, edit.before, patch)) {
          if (isResumed) await repeatExclusions(now, patch);
          break;
        }
        if (!isSame(now, edit.before.master)) return leave(changedMeanwhile());
        if (isResumed && journal.newId === null) return leave(interrupted());
        current = now;
      }
      try {
        old = await calls.update(current, withLink(patch, journal.newId));
        break;
      } catch (error) {
        const isStale = isRefusal(error) && error.reason === 'precondition-failed';
        if (isStale && tries < MAX_TRIES) current = undefined;
        else if (!(isResumed ? isRefusal(error) : wasNotCarriedOut(error))) throw error;
        // The refused call may have been the read after a write that was carried out.
        else if (isShowing && (await hasTakenEffect(patch))) break;
        else return leave(isStale ? changedMeanwhile(error) : error);
      }
    }
    await record({ phase: 'keep' });
    return undefined;
  }

  async function hasTakenEffect(patch: EventPatch): Promise<boolean> {
    const now = await calls.readEvent(edit.seriesId);
    if (now === undefined || !hasSlotsOf(now, edit.before, patch)) return false;
    await repeatExclusions(now, patch);
    return true;
  }

  /** The provider may need several calls for it, and is told again what it has begun. */
  async function revive({ slot, patch }: Extract<SeriesChange, { kind: 'revive' }>) {
    if (isResumed) {
      const now = await calls.read(edit.seriesId);
      if (now === undefined) return leave(deletedMeanwhile());
      if (isCancelledAt(now, slot, calls.calendarZone)) return leave(interrupted());
    }
    try {
      old = await reviveSlot(calls, edit.before, slot, patch);
    } catch (error) {
      if (isResumed ? !isRefusal(error) : !wasNotCarriedOut(error)) throw error;
      return leave(error);
    }
    await record({ phase: 'keep' });
    return undefined;
  }

  /** Exclusions may be calls of their own, behind the one that changed the rule. */
  async function repeatExclusions(now: ProviderEvent, { recurrence }: EventPatch): Promise<void> {
    if (recurrence?.some((line) => /^EXDATE/i.test(line))) await calls.update(now, { recurrence });
  }

  async function keep(): Promise<void> {
    old ??= await calls.read(edit.seriesId);
    const restored = { ...restoring, wanted: edit.keep, before: edit.before };
    if (old !== undefined) old = await restoreExceptions(calls, old, restored);
    // Keeping can be repeated: the journal marks its end only where more calls follow.
    if (edit.carry.length > 0) await record({ phase: 'carry' });
  }

  async function carry(newId: string): Promise<void> {
    if (single.length > 0) return;
    made ??= await calls.read(newId);
    if (made !== undefined)
      made = await restoreExceptions(calls, made, { ...restoring, wanted: edit.carry, before: undefined });
  }

  async function newHalf(newId: string): Promise<readonly EventChange[]> {
    if (made !== undefined) return [changeOf(made)];
    return single.length > 0 ? single : await calls.readAny(newId);
  }

  if (journal.phase === 'undo') return leave(interrupted());
  if (journal.phase === 'insert' && edit.insert !== null) {
    const end = await insert(edit.insert);
    if (end !== undefined) return end;
  }
  if (journal.phase === 'change') {
    const end = await change();
    if (end !== undefined) return end;
  }
  if (journal.phase === 'keep') await keep();
  const { newId } = journal;
  if (newId !== null) await carry(newId);
  const oldNow = old === undefined ? await calls.readAny(edit.seriesId) : [changeOf(old)];
  const newNow = newId === null ? [] : await newHalf(newId);
  const revision = await intent.finish([...oldNow, ...newNow, ...calls.rereads()]);
  return { kind: 'done', newId, revision };
}

/** The patch of the old series. The halves name each other. */
function withLink(patch: EventPatch, newId: string | null): EventPatch {
  if (newId === null) return patch;
  return { ...patch, privateExtendedProperties: { ...patch.privateExtendedProperties, [FOLLOWED_BY]: newId } };
}

function isCancelledAt({ master, exceptions }: SeriesSnapshot, slot: RecurrenceId, calendarZone: string): boolean {
  const { wallOf } = slotTable(master.content, calendarZone);
  return exceptions.some((exception) => isStub(exception) && wallOf(exception.recurrenceId) === wallOf(slot));
}

/** Whether a series has the slots that a patch of what it was gives it, exclusions aside. */
function hasSlotsOf({ content }: ProviderEvent, before: SeriesSnapshot, patch: EventPatch): boolean {
  if (content === null || content.recurrence === null) return false;
  const { start, isAllDay, recurrence } = { ...before.master.content, ...shapeOf(patch) };
  return recurrence !== null && slotsOf(content) === slotsOf({ start, isAllDay, recurrence });
}

function shapeOf({ start, isAllDay, recurrence }: EventPatch) {
  return {
    ...(start === undefined ? {} : { start }),
    ...(isAllDay === undefined ? {} : { isAllDay }),
    ...(recurrence === undefined ? {} : { recurrence }),
  };
}

/** So many slots and the last one tell a series from what it was before. */
const COMPARED_SLOTS = 100;

function slotsOf(shape: {
  readonly start: { readonly dateTime: string; readonly timeZone: string };
  readonly isAllDay: boolean;
  readonly recurrence: readonly string[] | null;
}): string {
  try {
    const lines = serializeRecurrence({ ...parseRecurrence(shape.recurrence ?? []), exceptionDates: [] });
    const series = compileSeries({ ...dtstartOf(shape), lines });
    const window = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, limit: COMPARED_SLOTS };
    const slots = series.occurrences(window).map(({ startMs }) => startMs);
    return canonicalJson([shape.isAllDay, slots, series.last()?.startMs ?? null]);
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    return canonicalJson([shape.isAllDay, shape.start, shape.recurrence]);
  }
}

/** Whether an event says what it said, whatever its tag. */
function isSame(now: ProviderEvent, before: ProviderEvent): boolean {
  const shown = ({ content, isCancelled }: ProviderEvent) =>
    canonicalJson([isCancelled, content === null ? null : { ...content, updatedAt: '' }]);
  return shown(now) === shown(before);
}

function changedMeanwhile(cause?: unknown): KalendsError {
  return new KalendsError('PreconditionFailed', 'The series was changed in the meantime.', { cause });
}

function deletedMeanwhile(): KalendsError {
  return new KalendsError('NotFound', 'The series has been deleted meanwhile.');
}

function interrupted(): KalendsError {
  return new KalendsError('Conflict', 'The edit was interrupted before it took effect.');
}
