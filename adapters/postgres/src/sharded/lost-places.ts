import { openPlaceIn, placesIn, readHomeRow, writeCopy } from './account-copies.ts';
import { isSettled, type Place, type Places } from './places.ts';
import type { ShardSet } from './shard-set.ts';

/**
 * Repairs the place of an account that the database named by the list does not have open, as after a restore of one database alone:
 * names the one that has the account, or writes a fresh copy where none has it. When several others have it, all is left as it is.
 * @throws StorageUnavailableError when a database is away: it may be the one
 */
export async function repairPlace(shards: ShardSet, places: Places, accountId: string): Promise<void> {
  const { home } = shards;
  const { place } = await places.read(accountId);
  if (place === undefined || !isSettled(place)) return;
  const named = shards.named(place.shard);
  const having = await shards.askAll(async (_storage, shard) =>
    !shard.isHome && (await placesIn(shard, [accountId])).has(accountId) ? [shard] : [],
  );
  const [found, ...others] = having.flat();
  if (found === undefined) {
    const row = await readHomeRow(home.read, accountId);
    if (row !== undefined) await writeCopy(named, row);
  } else if (found === named) {
    await openPlaceIn(named, accountId);
  } else if (others.length === 0) {
    await openPlaceIn(found, accountId);
    await nameShard(shards, place, found.name);
    places.forget(accountId);
  }
}

/** Names another shard in the list, unless the account has begun to move. */
async function nameShard({ home }: ShardSet, { accountId, shard, epoch }: Place, found: string): Promise<void> {
  await home.write(
    `update kalends_account_place set shard = $2, epoch = epoch + 1
      where account_id = $1 and shard = $3 and epoch = $4 and moving_to is null and moved_from is null`,
    [accountId, found, shard, epoch],
  );
}
