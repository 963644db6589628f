import { KalendsError } from '../../errors.ts';
import { isRefusal, wasNotCarriedOut } from '../../intents/index.ts';
import type { NewEvent } from '../../ports/index.ts';
import type { Created } from './series-calls.ts';
import { type SeriesEditRun, type Stopped, stopped } from './series-edit-run.ts';

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
  const { seriesId, from } = journal.edit;
  const continues = from && { seriesId, recurrenceId: from };
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
