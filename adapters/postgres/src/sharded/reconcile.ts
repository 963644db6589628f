import { type Clock, StorageUnavailableError } from 'kalends/ports';
import { hasAccount, placesIn, refreshCopy } from './account-copies.ts';
import { deleteRows, removeAccount } from './account-removal.ts';
import { forwardAudit } from './audit.ts';
import { repairPlace } from './lost-places.ts';
import type { Moves } from './moves.ts';
import { finishPendingMoves } from './pending-moves.ts';
import { isSettled, PLACE_COLUMNS, type Place, type Places } from './places.ts';
import type { Shard } from './shard.ts';
import type { ShardSet } from './shard-set.ts';

const AT_ONCE = 500;
/** Rows that look left over may just be being made: they are removed only if they look so for this time. */
const SUSPECTED_MS = 60_000;
const LEASE = 'reconciliation-of-shards';
const LEASE_MS = 600_000;

interface Copy {
  readonly accountId: string;
  readonly applicationId: string;
  readonly status: string;
  readonly providerConfigId: string | null;
}

/**
 * Returns a function that repairs what processes have left that died between two databases: moves, copies of accounts that are
 * gone or are elsewhere, copies with another status, and audit entries that are not in the log yet. After a restore of one
 * database alone it finds the accounts that are not where the list names them. At most one process works
 * at it at a time; shards that are away are passed over.
 */
export function createReconciliation({
  shards,
  places,
  moves,
  clock,
}: {
  readonly shards: ShardSet;
  readonly places: Places;
  readonly moves: Moves;
  readonly clock: Clock;
}): () => Promise<void> {
  const { home } = shards;
  const suspectedAt = new Map<string, number>();

  /** Runs the work on what has been suspected for long enough. */
  const onceCertain = async (what: string, remove: () => Promise<void>): Promise<void> => {
    const since = suspectedAt.get(what) ?? clock.now();
    suspectedAt.set(what, since);
    if (clock.now() - since < SUSPECTED_MS) return;
    await remove();
    suspectedAt.delete(what);
  };

  const removePlaces = async () => {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const left: readonly Place[] = await home.read<Place>(
        `select ${PLACE_COLUMNS} from kalends_account_place p where moving_to is null and moved_from is null
          and not exists (select 1 from kalends_account a where a.id = p.account_id)
          and account_id > $1 order by account_id limit ${AT_ONCE}`,
        [after],
      );
      for (const place of left) {
        await onceCertain(`place ${place.accountId}`, async () => {
          await removeAccount(home, shards.named(place.shard), place);
          await places.remove(place.accountId);
        }).catch(ignoreOutage);
      }
      after = left.length < AT_ONCE ? undefined : left.at(-1)?.accountId;
    }
  };

  /** Removes a copy from a shard that is not the account's, if the account is gone or its own database has it. */
  const removeLeft = async (shard: Shard, { accountId, applicationId }: Copy) => {
    const { place } = await places.read(accountId);
    if (place !== undefined) {
      if (!isSettled(place) || place.shard === shard.name) return;
      if (!(await hasAccount(shards.named(place.shard), accountId))) return;
    }
    await shard.transaction((run) => deleteRows(run, shard, accountId, applicationId));
  };

  /** Repairs the places of accounts that the list names in this shard, and that it does not have open. */
  const findLost = async (shard: Shard) => {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const listed: readonly Place[] = await places.list({ after, shard: shard.name, limit: AT_ONCE });
      const here = await placesIn(
        shard,
        listed.map(({ accountId }) => accountId),
      );
      for (const place of listed) {
        if (!isSettled(place) || here.get(place.accountId) === true) continue;
        await onceCertain(`lost ${place.accountId}`, () => repairPlace(shards, places, place.accountId)).catch(
          ignoreOutage,
        );
      }
      after = listed.length < AT_ONCE ? undefined : listed.at(-1)?.accountId;
    }
  };

  const compare = async (shard: Shard) => {
    await forwardAudit(home, shard);
    for (let after = ''; ; ) {
      const copies = await shard.read<Copy>(
        `select id as "accountId", application_id as "applicationId", status, provider_config_id as "providerConfigId"
          from kalends_account where id > $1 order by id limit ${AT_ONCE}`,
        [after],
      );
      const ids = copies.map(({ accountId }) => accountId);
      const [here, rows] = [await placesOf(home, ids), await rowsOf(home, ids)];
      for (const copy of copies) {
        const place = here.get(copy.accountId);
        if (place === undefined || ![place.shard, place.movingTo, place.movedFrom].includes(shard.name)) {
          await onceCertain(`${shard.name} ${copy.accountId}`, () => removeLeft(shard, copy)).catch(ignoreOutage);
          continue;
        }
        const row = rows.get(copy.accountId);
        const isSame = row?.status === copy.status && row.providerConfigId === copy.providerConfigId;
        if (row !== undefined && !isSame) await refreshCopy(home, shard, copy.accountId);
      }
      const last = ids.at(-1);
      if (last === undefined || ids.length < AT_ONCE) break;
      after = last;
    }
    await removeApplications(shard);
  };

  /** Removes the copies of applications that are gone and have no account in the shard any more. */
  const removeApplications = async (shard: Shard) => {
    const unused = await shard.read<{ readonly id: string }>(
      `select id from kalends_application p where not exists (select 1 from kalends_account a where a.application_id = p.id)
        and not exists (select 1 from kalends_target t where t.application_id = p.id) limit ${AT_ONCE}`,
    );
    const ids = unused.map(({ id }) => id);
    const kept = await home.read<{ readonly id: string }>(
      'select id from kalends_application where id = any($1::text[])',
      [ids],
    );
    const gone = ids.filter((id) => !kept.some((row) => row.id === id));
    if (gone.length > 0) await shard.write('delete from kalends_application where id = any($1::text[])', [gone]);
  };

  return async () => {
    const claimed = await home.storage.leases.claim(LEASE, LEASE_MS);
    if (claimed === undefined) return;
    try {
      await finishPendingMoves(home, moves);
      await removePlaces();
      await shards.workInReachable(async (_storage, shard) => {
        if (shard.isHome) return;
        await findLost(shard);
        await compare(shard);
      });
    } finally {
      await home.storage.leases.release(LEASE, claimed.epoch);
    }
  };
}

async function placesOf(home: Shard, ids: readonly string[]): Promise<ReadonlyMap<string, Place>> {
  const rows = await home.read<Place>(
    `select ${PLACE_COLUMNS} from kalends_account_place where account_id = any($1::text[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.accountId, row]));
}

async function rowsOf(home: Shard, ids: readonly string[]): Promise<ReadonlyMap<string, Omit<Copy, 'applicationId'>>> {
  const rows = await home.read<Omit<Copy, 'applicationId'>>(
    `select id as "accountId", status, provider_config_id as "providerConfigId" from kalends_account
      where id = any($1::text[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.accountId, row]));
}

function ignoreOutage(error: unknown): void {
  if (!StorageUnavailableError.isInstance(error)) throw error;
}
