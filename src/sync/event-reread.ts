import { type EventChange, type ItemVersion, ProviderError } from '../ports/index.ts';
import { describeError } from '../runtime/index.ts';
import { applyChanges } from './apply-changes.ts';
import { inParallel } from './in-parallel.ts';
import { parseOccurrenceId } from './occurrence-id.ts';
import { currentRevision, type EventPull } from './pull-context.ts';
import { groupIdOf, storedEvent } from './stored-event.ts';

const BATCH = 100;
/** An object that is written faster than it can be read again waits for the next pull. */
const ROUNDS = 3;

/**
 * Works off the re-read list: fetches each object again and mirrors its present state under the same rule. What fails
 * for a reason of its own stays on the list for the next pull. Resolves with the number of new versions.
 */
export async function rereadPending(pull: EventPull): Promise<number> {
  const failed = new Set<string>();
  let changed = 0;
  for (let round = 0; round < ROUNDS; ) {
    const pending = await pull.mirror.listRereads(pull.key, BATCH + failed.size);
    const ids = pending.filter((id) => !failed.has(id));
    if (ids.length === 0) return changed;
    await inParallel(ids, async (id) => {
      const made = await rereadItem(pull, id, failed);
      changed += made;
    });
    if (pending.length < BATCH) round++;
  }
  return changed;
}

async function rereadItem(pull: EventPull, id: string, failed: Set<string>): Promise<number> {
  const { provider, session, calendar } = pull;
  const basedOn = await currentRevision(pull);
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
  return await applyChanges(pull, changes, { basedOn, rereadDone: [id] }, item);
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
