import { isRefusal, wasNotCarriedOut } from '../../intents/index.ts';
import type { EventPatch, ProviderEvent, RecurrenceId } from '../../ports/index.ts';
import { isStub } from './carried-exceptions.ts';
import { reviveSlot } from './restore-exceptions.ts';
import {
  changedMeanwhile,
  deletedMeanwhile,
  interrupted,
  type SeriesEditRun,
  type Stopped,
  stopped,
} from './series-edit-run.ts';
import type { SeriesChange } from './series-journal.ts';
import { FOLLOWED_BY } from './series-link.ts';
import { exceptionFinder, type SeriesSnapshot, slotTable } from './series-snapshot.ts';
import { hasSlotsOf, isSameEvent } from './slot-comparison.ts';

/** How often a write is repeated over a series whose tag moved without a change. */
const MAX_TRIES = 3;

/** The change has taken effect. `series` is the old series as last read; undefined when no call told it whole. */
interface Changed {
  readonly kind: 'changed';
  readonly series: SeriesSnapshot | undefined;
}

/**
 * Changes the old series. `newId` is the new half of a split: a process that resumes an edit without one completes a change that
 * has taken effect, and sends nothing that the user may have undone since. Throws an error that leaves the outcome unknown.
 */
export function changeOldSeries(run: SeriesEditRun, newId: string | null): Promise<Changed | Stopped> {
  const { change } = run.journal.edit;
  return change.kind === 'revive' ? reviveOccurrence(run, change) : patchSeries(run, change, newId);
}

/** Sends the patch on the series as it was before the edit, and on no other state of it. */
async function patchSeries(
  run: SeriesEditRun,
  { patch, began }: Extract<SeriesChange, { kind: 'whole' }>,
  newId: string | null,
): Promise<Changed | Stopped> {
  const { calls, isResumed } = run;
  const { seriesId, before } = run.journal.edit;
  // With unchanged slots a read does not show whether the change was applied: only a resumed run has to guess.
  const isShowing = isResumed || !hasSlotsOf(before.master, before, patch);
  let current: ProviderEvent | undefined = isResumed ? undefined : before.master;
  for (let tries = 1; ; tries += 1) {
    if (current === undefined) {
      const now = await calls.readEvent(seriesId);
      if (now === undefined) return stopped(deletedMeanwhile());
      if (isShowing && hasSlotsOf(now, before, patch)) {
        if (isResumed) await repeatExclusions(run, now, patch);
        return changed();
      }
      if (!isSameEvent(now, before.master)) return stopped(changedMeanwhile());
      if (isResumed && newId === null) return stopped(interrupted());
      current = now;
    }
    try {
      return changed(await calls.update(current, withLink(patch, newId), began));
    } catch (error) {
      const isStale = isRefusal(error) && error.reason === 'precondition-failed';
      if (isStale && tries < MAX_TRIES) current = undefined;
      else if (!(isResumed ? isRefusal(error) : wasNotCarriedOut(error))) throw error;
      // The refused call may have been the read after a write that was carried out.
      else if (isShowing && (await hasTakenEffect(run, patch))) return changed();
      else return stopped(isStale ? changedMeanwhile(error) : error);
    }
  }
}

async function hasTakenEffect(run: SeriesEditRun, patch: EventPatch): Promise<boolean> {
  const { seriesId, before } = run.journal.edit;
  const now = await run.calls.readEvent(seriesId);
  if (now === undefined || !hasSlotsOf(now, before, patch)) return false;
  await repeatExclusions(run, now, patch);
  return true;
}

/** Exclusions may be calls of their own, behind the one that changed the rule. */
async function repeatExclusions(
  { calls }: SeriesEditRun,
  now: ProviderEvent,
  { recurrence }: EventPatch,
): Promise<void> {
  if (recurrence?.some((line) => /^EXDATE/i.test(line))) await calls.update(now, { recurrence });
}

/** Brings a cancelled occurrence back. The provider may need several calls, and is told again to do what it has begun. */
async function reviveOccurrence(
  { calls, isResumed, journal }: SeriesEditRun,
  { slot, patch }: Extract<SeriesChange, { kind: 'revive' }>,
): Promise<Changed | Stopped> {
  const { seriesId, before } = journal.edit;
  if (isResumed) {
    const now = await calls.read(seriesId);
    if (now === undefined) return stopped(deletedMeanwhile());
    if (isCancelledAt(now, slot, calls.calendarZone)) return stopped(interrupted());
  }
  try {
    return changed(await reviveSlot(calls, before, slot, patch));
  } catch (error) {
    if (isResumed ? !isRefusal(error) : !wasNotCarriedOut(error)) throw error;
    return stopped(error);
  }
}

function changed(series?: SeriesSnapshot): Changed {
  return { kind: 'changed', series };
}

/** The patch of the old series. The halves name each other. */
function withLink(patch: EventPatch, newId: string | null): EventPatch {
  if (newId === null) return patch;
  return { ...patch, privateExtendedProperties: { ...patch.privateExtendedProperties, [FOLLOWED_BY]: newId } };
}

function isCancelledAt(series: SeriesSnapshot, slot: RecurrenceId, calendarZone: string): boolean {
  const exception = exceptionFinder(series, slotTable(series.master.content, calendarZone))(slot);
  return exception !== undefined && isStub(exception);
}
