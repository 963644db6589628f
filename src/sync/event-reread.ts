import { type EventChange, type ItemVersion, ProviderError, type Reread } from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import { applyChanges } from './apply-changes.ts';
import { inParallel } from './in-parallel.ts';
import { parseOccurrenceId } from './occurrence-id.ts';
import { currentWrites, type EventPull } from './pull-context.ts';
import { seenIn } from './seen-items.ts';
import { groupIdOf, storedEvent } from './stored-event.ts';

const BATCH = 100;
/** An object that is written faster than it can be read again, or held by a write under way, waits for another pull. */
const ROUNDS = 3;

/**
 * Works off the re-read list: fetches each object again and mirrors its present state under the same rule. What fails
 * for a reason of its own stays on the list for the next pull. `generation`: of the sweep that need not ask about it once more.
 * Resolves with the number of new versions, and whether something was left that cannot wait so long.
 */
export async function rereadPending(
  pull: EventPull,
  generation?: number,
): Promise<{ readonly changed: number; readonly isLeft: boolean }> {
  const failed = new Set<string>();
  let changed = 0;
  for (let round = 0; ; ) {
    const pending = await pull.mirror.listRereads(pull.key, BATCH + failed.size);
    const entries = pending.filter(({ itemId }) => !failed.has(itemId));
    if (entries.length === 0 || round === ROUNDS) return { changed, isLeft: entries.length > 0 };
    await inParallel(entries, async (entry) => {
      const made = await rereadItem(pull, entry, failed, generation);
      changed += made;
    });
    if (pending.length < BATCH) round++;
  }
}

async function rereadItem(
  pull: EventPull,
  entry: Reread,
  failed: Set<string>,
  generation: number | undefined,
): Promise<number> {
  const { itemId: id } = entry;
  const { provider, session, calendar } = pull;
  const basedOn = await currentWrites(pull);
  const item = await pull.mirror.findItem(pull.key, id);
  const providerEventId = await objectToRead(pull, id, item);
  let changes: readonly EventChange[];
  try {
    changes = await provider.events.get(session, calendar, providerEventId);
  } catch (error) {
    if (!ProviderError.isInstance(error) || !isOwnFault(error)) throw error;
    pull.logger.warn('an event could not be read again', { eventId: id, error: describeError(error) });
    failed.add(id);
    return 0;
  }
  const seen = generation === undefined ? {} : { seen: seenIn(changes, generation) };
  return await applyChanges(pull, changes, { basedOn, rereadDone: [entry], ...seen }, item);
}

/** The list holds our item ids and the provider's ids alike; exceptions are read through their series. */
async function objectToRead(pull: EventPull, id: string, item: ItemVersion | undefined): Promise<string> {
  if (item !== undefined) {
    const event = storedEvent(item);
    return event.seriesId !== null && (await hasMaster(pull, event.seriesId))
      ? groupIdOf(event)
      : event.providerEventId;
  }
  const occurrence = parseOccurrenceId(id);
  return occurrence !== undefined && (await hasMaster(pull, occurrence.seriesId)) ? occurrence.seriesId : id;
}

async function hasMaster(pull: EventPull, seriesId: string): Promise<boolean> {
  return (await pull.mirror.findItem(pull.key, seriesId)) !== undefined;
}

/** Failures that concern this one object: the pull goes on with the others. */
function isOwnFault(error: ProviderError): boolean {
  return ['malformed', 'invalid', 'unsupported', 'forbidden', 'conflict'].includes(error.reason);
}
