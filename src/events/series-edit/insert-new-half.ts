import { KalendsError } from '../../errors.ts';
import { isRefusal, wasNotCarriedOut } from '../../intents/index.ts';
import type { ContinuedSeries, NewEvent } from '../../ports/index.ts';
import type { Created } from './series-calls.ts';
import { type SeriesEditRun, type Stopped, stopped } from './series-edit-run.ts';
import type { SeriesEdit } from './series-journal.ts';

/**
 * Creates the new half of a split, once: a repetition finds the first one. `refused`: the provider has changed nothing.
 * Throws an error that leaves open whether there is a new half.
 */
export async function insertNewHalf(
  { calls, intent, isResumed, journal }: SeriesEditRun,
  input: NewEvent,
): Promise<
  | { readonly kind: 'inserted'; readonly created: Created }
  | { readonly kind: 'refused'; readonly error: unknown }
  | Stopped
> {
  const continues = continuedBy(journal.edit);
  let created: Created | undefined;
  try {
    created = await calls.create(input, intent.ref.id, continues);
  } catch (error) {
    if (!(isResumed ? isRefusal(error) : wasNotCarriedOut(error))) throw error;
    // Turned away at last, but an attempt before that may have got through without an answer.
    created = isRefusal(error) ? undefined : await calls.findCreated(intent.ref.id);
    if (created === undefined) return { kind: 'refused', error };
  }
  if (created !== undefined) return { kind: 'inserted', created };
  // The new half was made, and deleted again by someone else.
  return stopped(new KalendsError('Conflict', 'The new series has been deleted meanwhile.'));
}

function continuedBy({ seriesId, from, carry }: SeriesEdit): ContinuedSeries | undefined {
  if (from === undefined) return undefined;
  const exceptions = carry.flatMap(({ providerEventId, slot }) =>
    providerEventId === undefined ? [] : [{ providerEventId, recurrenceId: slot }],
  );
  return { seriesId, recurrenceId: from, exceptions };
}
