import type { EventChange } from '../../ports/index.ts';
import type { EventIntent } from '../write/event-intent.ts';
import type { CarriedException } from './carried-exceptions.ts';
import { changeOldSeries } from './change-old-series.ts';
import { insertNewHalf } from './insert-new-half.ts';
import { restoreExceptions } from './restore-exceptions.ts';
import type { Created } from './series-calls.ts';
import { interrupted, type SeriesEditRun } from './series-edit-run.ts';
import type { PlannedJournal, SeriesJournal } from './series-journal.ts';
import { changeOf, type SeriesSnapshot, snapshotOf } from './series-snapshot.ts';

/** How an edit of a series ended. Its intent is over in either case. */
export type SeriesEditOutcome =
  /** Done; `newId` is the new half of a split, `revision` the first one that shows the edit. */
  | { readonly kind: 'done'; readonly newId: string | null; readonly revision: number }
  /** Refused by the provider, or overtaken by another write: the series is as it was without the edit. */
  | { readonly kind: 'undone'; readonly error: unknown };

/**
 * Runs the steps of an edit from where its journal stands; each can be repeated. Throws an error that leaves the outcome of
 * a step unknown: the intent stays open, and the process that resumes it goes on.
 */
export async function runSeriesEdit(run: SeriesEditRun): Promise<SeriesEditOutcome> {
  const { calls, intent } = run;
  const { edit } = run.journal;
  const progress = createProgress(run);
  /** The halves as last read. */
  let old: SeriesSnapshot | undefined;
  let created: Created | undefined;

  if (progress.journal.phase === 'undo') return undo(run, progress, interrupted());
  if (progress.journal.phase === 'insert' && edit.insert !== null) {
    const inserted = await insertNewHalf(run, edit.insert);
    if (inserted.kind === 'refused') {
      await intent.cancel();
      return { kind: 'undone', error: inserted.error };
    }
    if (inserted.kind === 'stopped') return undo(run, progress, inserted.error);
    created = inserted.created;
    await progress.record({ phase: 'change', newId: created.id }, { groupIds: [created.id] });
  }
  const { newId } = progress.journal;
  if (progress.journal.phase === 'change') {
    const changed = await changeOldSeries(run, newId);
    if (changed.kind === 'stopped') return undo(run, progress, changed.error);
    old = changed.series;
    await progress.record({ phase: 'keep' });
  }
  if (progress.journal.phase === 'keep') {
    old ??= await calls.read(edit.seriesId);
    if (old !== undefined) old = await restore(run, old, edit.keep, edit.before);
    // Keeping can be repeated: the journal marks its end only where more calls follow.
    if (edit.carry.length > 0) await progress.record({ phase: 'carry' });
  }
  const newHalf = newId === null ? [] : await carryToNewHalf(run, newId, created);
  const oldHalf = old === undefined ? await calls.readAny(edit.seriesId) : [changeOf(old)];
  const { revision } = await intent.finish([...oldHalf, ...newHalf, ...calls.rereads()]);
  return { kind: 'done', newId, revision };
}

/** The journal as last recorded. */
interface Progress {
  readonly journal: PlannedJournal;
  record(next: Partial<Omit<SeriesJournal, 'edit'>>, hold?: Parameters<EventIntent['record']>[1]): Promise<void>;
}

function createProgress({ intent, journal: begun }: SeriesEditRun): Progress {
  let journal = begun;
  return {
    get journal() {
      return journal;
    },
    async record(next, hold) {
      journal = { ...journal, ...next };
      await intent.record(journal, hold);
    },
  };
}

/** Takes the new half back, and ends the edit with the old series as it is now. */
async function undo({ calls, intent }: SeriesEditRun, progress: Progress, error: unknown): Promise<SeriesEditOutcome> {
  const { edit, newId, phase } = progress.journal;
  if (newId !== null) {
    if (phase !== 'undo') await progress.record({ phase: 'undo' });
    await calls.remove(newId);
  }
  const now = await calls.readAny(edit.seriesId);
  const gone: EventChange[] = newId === null ? [] : [{ kind: 'deleted', providerEventId: newId }];
  await intent.finish([...gone, ...now]);
  return { kind: 'undone', error };
}

/** Restores the exceptions from the split on; resolves with the new half. `created` is the answer to its creation. */
async function carryToNewHalf(
  run: SeriesEditRun,
  newId: string,
  created: Created | undefined,
): Promise<readonly EventChange[]> {
  const { calls, journal } = run;
  let series = created === undefined ? await calls.read(newId) : snapshotOf(created.changes, newId);
  // A new half that does not recur has no exceptions.
  if (created !== undefined && series === undefined) return created.changes;
  if (series !== undefined) series = await restore(run, series, journal.edit.carry, undefined);
  return series === undefined ? await calls.readAny(newId) : [changeOf(series)];
}

function restore(
  { calls, isResumed, logger }: SeriesEditRun,
  series: SeriesSnapshot,
  wanted: readonly CarriedException[],
  before: SeriesSnapshot | undefined,
): Promise<SeriesSnapshot | undefined> {
  return restoreExceptions(calls, series, { wanted, before, isResumed, logger });
}
