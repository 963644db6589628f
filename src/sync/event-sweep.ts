import type { ItemVersion } from '../ports/index.ts';
import { applyChanges } from './apply-changes.ts';
import { inParallel } from './in-parallel.ts';
import { currentWrites, type EventPull } from './pull-context.ts';
import { livesOnlyHere, storedEvent } from './stored-event.ts';

const BATCH = 200;

/**
 * Removes what a full listing did not show, once the provider confirms it object by object: a listing that skipped
 * something must not delete it. Resolves with the number of new versions.
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
    if (unseen.length < BATCH) return changed;
    after = unseen.at(-1)!.itemId;
  }
}

/** A series that is gone takes its exceptions along, which then need no question of their own. */
function mastersFirst(items: readonly ItemVersion[]): readonly (readonly ItemVersion[])[] {
  const isMaster = ({ itemId, groupId }: ItemVersion) => itemId === groupId;
  return [items.filter(isMaster), items.filter((item) => !isMaster(item))];
}

async function confirm(pull: EventPull, item: ItemVersion): Promise<number> {
  const { mirror, key, provider, session, calendar } = pull;
  const present = await mirror.findItem(key, item.itemId);
  if (present === undefined || present.fromRevision !== item.fromRevision) return 0;
  const basedOn = await currentWrites(pull);
  const event = storedEvent(item);
  const { providerEventId, seriesId } = event;
  const master = seriesId === null ? undefined : await mirror.findItem(key, seriesId);
  // That the provider does not show what lives only here is known.
  if (livesOnlyHere(event) || (master !== undefined && livesOnlyHere(storedEvent(master)))) return 0;
  const changes = await provider.events.get(session, calendar, master?.itemId ?? providerEventId);
  return await applyChanges(pull, changes, { basedOn }, item);
}
