import { isLocalOnly, isSeries, storedEvent } from '../mirror/index.ts';
import type { ItemVersion } from '../ports/index.ts';
import { inParallel } from '../runtime/index.ts';
import { applyChanges } from './apply-changes.ts';
import { withoutOrphanStub } from './orphan-stubs.ts';
import { currentWriteCount, type EventPull } from './pull-context.ts';

const BATCH = 200;

/**
 * Removes items that a full listing did not show, after a fetch of each confirms it: a listing with a gap must not delete any.
 * Returns the number of new versions.
 */
export async function sweepUnseen(pull: EventPull, generation: number): Promise<number> {
  const { mirror, key } = pull;
  let changed = 0;
  for (let after: string | undefined; ; ) {
    const position = after === undefined ? {} : { after };
    const unseen = await mirror.listUnseen(key, { generation, limit: BATCH, ...position });
    for (const items of mastersFirst(unseen)) {
      await inParallel(items, async (item) => {
        const made = await confirm(pull, item);
        changed += made;
      });
    }
    const last = unseen.at(-1);
    if (last === undefined || unseen.length < BATCH) return changed;
    after = last.itemId;
  }
}

/** Orders masters before exceptions: a deleted series removes its exceptions, which then need no fetch. */
function mastersFirst(items: readonly ItemVersion[]): readonly (readonly ItemVersion[])[] {
  const isMaster = ({ itemId, groupId }: ItemVersion) => itemId === groupId;
  return [items.filter(isMaster), items.filter((item) => !isMaster(item))];
}

async function confirm(pull: EventPull, item: ItemVersion): Promise<number> {
  const { mirror, key, provider, session, calendar } = pull;
  const present = await mirror.findItem(key, item.itemId);
  if (present === undefined || present.fromRevision !== item.fromRevision) return 0;
  const basedOn = await currentWriteCount(pull);
  const event = storedEvent(item);
  const { providerEventId, seriesId } = event;
  const master = seriesId === null ? undefined : await mirror.findItem(key, seriesId);
  // The provider never lists local-only records.
  if (isLocalOnly(event) || (master !== undefined && isLocalOnly(storedEvent(master)))) return 0;
  const changes = await provider.events.get(session, calendar, master?.itemId ?? providerEventId, {
    isSeries: master !== undefined || isSeries(event),
    mustBeListed: true,
  });
  const told = await withoutOrphanStub(pull, changes, item);
  return await applyChanges(pull, told.changes, { basedOn }, told.item);
}
