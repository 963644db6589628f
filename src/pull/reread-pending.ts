import { isLocalOnly, isSeries, storedEvent } from '../mirror/index.ts';
import { type EventChange, type GetOptions, type ItemVersion, ProviderError, type Reread } from '../ports/index.ts';
import { parseOccurrenceId } from '../recurrence/index.ts';
import { describeError, inParallel } from '../runtime/index.ts';
import { applyChanges } from './apply-changes.ts';
import { withoutOrphanStub } from './orphan-stubs.ts';
import { currentWriteCount, type EventPull } from './pull-context.ts';
import { seenIn } from './seen-items.ts';

const BATCH = 100;
/** Maximum rounds of one pull: an object that changes faster, or that a write holds, waits for another pull. */
const ROUNDS = 3;

/**
 * Processes the re-read list: fetches each object and mirrors its present state under the same rule as a page. An object that
 * alone cannot be read stays on the list for the next pull. Returns the number of new versions, and whether objects are left
 * that need another pull soon.
 * @param generation the running sweep, which then need not confirm these objects
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
  const basedOn = await currentWriteCount(pull);
  const item = await pull.mirror.findItem(pull.key, id);
  const object = await objectToRead(pull, id, item);
  let changes: readonly EventChange[];
  try {
    changes = await provider.events.get(session, calendar, object.id, object);
  } catch (error) {
    if (!ProviderError.isInstance(error) || !isOwnFault(error)) throw error;
    pull.logger.warn('event not re-read', { eventId: id, error: describeError(error) });
    failed.add(id);
    return 0;
  }
  const seen = generation === undefined ? {} : { seen: seenIn(changes, generation) };
  const told = await withoutOrphanStub(pull, changes, item);
  // Asked for by its series, which is gone: the occurrence is read alone in the next round.
  const isUnanswered = object.isSeries && object.id !== id && told.changes.some((change) => isEndOf(change, object.id));
  const rereadDone = isUnanswered ? [] : [entry];
  return await applyChanges(pull, told.changes, { basedOn, rereadDone, ...seen }, told.item);
}

function isEndOf(change: EventChange, seriesId: string): boolean {
  return change.kind === 'deleted' && change.providerEventId === seriesId && change.exceptionsMayStay === true;
}

/** Returns the object to fetch: the list holds both our item ids and provider ids. An exception is read with its series. */
async function objectToRead(
  pull: EventPull,
  id: string,
  item: ItemVersion | undefined,
): Promise<GetOptions & { readonly id: string }> {
  const event = item === undefined ? undefined : storedEvent(item);
  const seriesId = event === undefined ? parseOccurrenceId(id)?.seriesId : event.seriesId;
  // The feed may have told, now or earlier, that it is gone. It is asked seldom where pushes name what has changed.
  const mustBeListed = !pull.namedOnly || event === undefined || isLocalOnly(event);
  if (seriesId !== undefined && seriesId !== null && (await hasMaster(pull, seriesId))) {
    return { id: seriesId, isSeries: true, mustBeListed };
  }
  if (event === undefined) return { id, isSeries: false, mustBeListed };
  return { id: event.providerEventId, isSeries: isSeries(event), mustBeListed };
}

async function hasMaster(pull: EventPull, seriesId: string): Promise<boolean> {
  return (await pull.mirror.findItem(pull.key, seriesId)) !== undefined;
}

/** Returns whether the failure concerns this object alone, so that the pull goes on. */
function isOwnFault(error: ProviderError): boolean {
  return ['malformed', 'invalid', 'unsupported', 'forbidden', 'conflict'].includes(error.reason);
}
