import { type AccountRow, type AccountStore, StorageUnavailableError } from 'kalends/ports';
import { refreshCopy, writeCopy } from './account-copies.ts';
import { removeAccount } from './account-removal.ts';
import type { ChooseShard } from './placement.ts';
import type { Place, Places } from './places.ts';
import type { ShardSet } from './shard-set.ts';

/**
 * Stores accounts. The home database decides: identities, messages about accounts and the audit log are one transaction there.
 * A shard has a copy for its accounts, written before the account itself and brought up to date behind it; what a process that
 * dies leaves undone, `reconcile` does.
 */
export function shardedAccounts(shards: ShardSet, places: Places, choose: ChooseShard): AccountStore {
  const { home } = shards;
  const { find, findByIdentity, hasGrant, list, count, findCredential, replaceCredentials } = home.storage.accounts;

  /** Finds or makes a place for an account, and its copy there. */
  const prepare = async (account: AccountRow): Promise<Place> => {
    const { place } = await places.read(account.id);
    if (place !== undefined) {
      // The process that made the place may have died before the copy.
      const isNew = (await find(account.applicationId, account.id)) === undefined;
      if (isNew) await writeCopy(shards.named(place.shard), account);
      return place;
    }
    const refused = new Set<string>();
    for (;;) {
      const shard = await choose(account, refused);
      const added = await places.add({ accountId: account.id, applicationId: account.applicationId, shard });
      try {
        const chosen = shards.named(added.shard);
        await (chosen.isHome ? writeCopy(chosen, account) : chosen.inTime(() => writeCopy(chosen, account)));
        return added;
      } catch (error) {
        await places.remove(account.id);
        if (!StorageUnavailableError.isInstance(error) || refused.has(added.shard)) throw error;
        refused.add(added.shard);
      }
    }
  };
  /** Removes the place and the copy of an account that was not saved. */
  const retract = async (place: Place) => {
    if ((await find(place.applicationId, place.accountId)) !== undefined) return;
    await removeAccount(home, shards.named(place.shard), place);
    await places.remove(place.accountId);
  };
  /** The change has happened: a copy that cannot be reached is brought up to date later. */
  const refresh = async (accountId: string) => {
    const { place } = await places.find(accountId);
    if (place === undefined) return;
    for (const name of new Set([place.shard, place.movingTo ?? place.shard])) {
      // The home database has just changed its own schedule with the account.
      if (name !== home.name) await refreshIn(name, accountId).catch(ignoreOutage);
    }
  };
  /** @throws StorageUnavailableError also for a shard that this process was not given */
  const refreshIn = async (name: string, accountId: string) => await refreshCopy(home, shards.named(name), accountId);

  return {
    ...{ find, findByIdentity, hasGrant, list, count, findCredential, replaceCredentials },
    async save(account, credential, announce, audit) {
      const saveAtHome = () => home.storage.accounts.save(account, credential, announce, audit);
      const known = await places.read(account.id);
      // Another application's: the home database refuses it.
      if (known.place !== undefined && known.place.applicationId !== account.applicationId) return await saveAtHome();
      if ((await home.storage.applications.find(account.applicationId)) === undefined) return await saveAtHome();
      const place = await prepare(account);
      let isSaved = false;
      try {
        isSaved = await saveAtHome();
        return isSaved;
      } finally {
        if (isSaved) await refresh(account.id);
        else if (known.place === undefined) await retract(place).catch(ignoreOutage);
      }
    },
    async replaceTokens(applicationId, accountId, expectedVersion, tokens, announce) {
      return await home.storage.accounts.replaceTokens(applicationId, accountId, expectedVersion, tokens, announce);
    },
    async expire(applicationId, accountId, expectedVersion, at, announce, audit) {
      const hasExpired = await home.storage.accounts.expire(
        ...([applicationId, accountId, expectedVersion, at, announce, audit] as const),
      );
      if (hasExpired) await refresh(accountId);
      return hasExpired;
    },
    async delete(applicationId, accountId, announce, audit) {
      const { place } = await places.read(accountId);
      const isDeleted = await home.storage.accounts.delete(applicationId, accountId, announce, audit);
      if (!isDeleted || place === undefined) return isDeleted;
      const clean = async () => {
        await removeAccount(home, shards.named(place.shard), place);
        await places.remove(accountId);
      };
      // An account on the move is left to its mover.
      if (place.movingTo === null) await clean().catch(ignoreOutage);
      return true;
    },
  };
}

function ignoreOutage(error: unknown): void {
  if (!StorageUnavailableError.isInstance(error)) throw error;
}
