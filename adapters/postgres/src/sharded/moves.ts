import { type Clock, type HeldLease, KalendsError } from 'kalends/ports';
import { createKeyedMutex } from 'kalends/runtime';
import { hasAccount, insertCopy, openPlaceIn, readHomeRow, refreshCopy } from './account-copies.ts';
import { deleteRows, removeAccount } from './account-removal.ts';
import { copyRows, lockRows, UnreadRowsError } from './copy-rows.ts';
import { lockAccount } from './fence.ts';
import { isSettled, PLACE_TTL_MS, type Place, type Places } from './places.ts';
import type { Run } from './run.ts';
import type { Shard } from './shard.ts';
import type { ShardSet } from './shard-set.ts';
import { claimWork, refuseOtherWork } from './work-leases.ts';

/** A mover that does not renew its lease for so long counts as dead. */
const MOVER_LEASE_MS = 30_000;
const RENEW_EVERY_MS = 5_000;

/** Moves accounts between databases. */
export interface Moves {
  /**
   * Moves an account. Its reads go on, and so do its writes until its rows are copied: those wait for the end. A move that this
   * process does not finish is finished or taken back by another. Without effect when the account is there already.
   * @throws KalendsError NotFound when there is no such account, Conflict when it is being moved, or when work on it does not pause
   */
  move(applicationId: string, accountId: string, to: string): Promise<void>;
  /** Finishes or takes back a move whose process has died; without effect on others. */
  recover(accountId: string): Promise<void>;
}

interface MovesOptions {
  readonly shards: ShardSet;
  readonly places: Places;
  /** Waits, and measures time. */
  readonly clock: Clock;
}

/** A move that this process makes. */
interface Move {
  readonly place: Place;
  readonly from: Shard;
  readonly to: Shard;
  /** Lease of the process that moves the account. */
  readonly lease: HeldLease;
  /** Keeps the lease. @throws KalendsError Conflict once it is another's */
  step(): Promise<void>;
}

/**
 * A move in steps that each are one transaction of one database, so that a crash between any two leaves a state that tells what
 * to do: until the place names the new database, the old rows stand and the new ones are removed; from then on it is the other
 * way round. Nothing writes to the account in between: its place in the old database is closed.
 */
export function createMoves({ shards, places, clock }: MovesOptions): Moves {
  const { home } = shards;
  const transfers = createKeyedMutex();

  /** Runs the work as the only mover of the account; undefined when there is another. */
  const asMover = async <Result>(
    accountId: string,
    work: (lease: HeldLease, step: Move['step']) => Promise<Result>,
  ): Promise<{ readonly result: Result } | undefined> => {
    const name = `move:${accountId}`;
    const claimed = await home.storage.leases.claim(name, MOVER_LEASE_MS);
    if (claimed === undefined) return undefined;
    const lease = { name, epoch: claimed.epoch };
    let renewedAt = clock.now();
    const step = async () => {
      if (clock.now() - renewedAt < RENEW_EVERY_MS) return;
      await home.storage.leases.renew([lease], MOVER_LEASE_MS);
      await checkMover(home, lease);
      renewedAt = clock.now();
    };
    try {
      return { result: await work(lease, step) };
    } finally {
      await home.storage.leases.release(name, lease.epoch);
    }
  };

  /** Removes the rows that do not count, unless others are missing: after a restore of one database alone they may be the only ones. */
  const removeOther = async (place: Place, name: string) => {
    const { accountId, applicationId } = place;
    if (!(await hasAccount(shards.named(place.shard), accountId))) return;
    const shard = shards.named(name);
    await shard.transaction((run) => deleteRows(run, shard, accountId, applicationId));
  };

  /** Finishes or takes back what a mover has left; resolves with the place afterwards. */
  const finish = async (accountId: string, step: Move['step']): Promise<Place | undefined> => {
    const { place } = await places.read(accountId);
    if (place === undefined) return undefined;
    if (place.movedFrom !== null) {
      await step();
      await removeOther(place, place.movedFrom);
      await step();
      await refreshCopy(home, shards.named(place.shard), accountId);
      await setPlace(home, accountId, 'moved_from = null');
    }
    if (place.movingTo !== null) {
      await step();
      // First, as the other database may be away: its copy counts for nothing, and waits for its removal.
      await openPlaceIn(shards.named(place.shard), accountId);
      await step();
      await removeOther(place, place.movingTo);
      await step();
      await setPlace(home, accountId, 'moving_to = null');
    }
    places.forget(accountId);
    if ((await readHomeRow(home.read, accountId)) !== undefined) return place;
    // It was deleted meanwhile.
    await removeAccount(home, shards.named(place.shard), place);
    await places.remove(accountId);
    return undefined;
  };

  const make = async (move: Move): Promise<void> => {
    const { place, from, to, step } = move;
    const { accountId } = place;
    let work: readonly HeldLease[] = [];
    await setPlace(home, accountId, 'moving_to = $2', to.name);
    places.forget(accountId);
    try {
      await step();
      // Other processes stop trusting the place that they have read, and reads that trusted it end.
      await clock.sleep(2 * PLACE_TTL_MS);
      work = await claimWork(from, place, { clock, step });
      await step();
      // One at a time: each holds a connection to both databases, and those of many could wait for each other.
      await transfers.run('', () => transfer(move, work));
    } finally {
      const left = await finish(accountId, step);
      const shard = left && shards.named(left.shard);
      for (const { name, epoch } of work) {
        await step();
        await shard?.storage.leases.release(name, epoch);
      }
    }
  };

  const transfer = async ({ place, from, to, lease, step }: Move, work: readonly HeldLease[]): Promise<void> => {
    const { accountId } = place;
    await from.transaction(async (run) => {
      await lockAccount(run, accountId);
      const closed = await run(
        'update kalends_account_place set is_closed = 1 where account_id = $1 returning 1 as closed',
        [accountId],
      );
      if (closed.length === 0) throw new KalendsError('Conflict', `The database "${from.name}" lacks the account`);
    });
    await step();
    await from.transaction(async (run, now) => {
      const { place: present } = await places.read(accountId);
      // The answer to a commit may have been lost: the rows are gone, or are to go.
      if (present?.shard !== to.name) {
        await checkMover(home, lease);
        await lockRows(run, place);
        await refuseOtherWork(run, place, { work, now: await now() });
        const [counted] = await run<{ readonly collections: number }>(
          'select collections from kalends_account where id = $1',
          [accountId],
        );
        const copying = to.transaction(async (runTo) => {
          await deleteRows(runTo, to, accountId, place.applicationId);
          await admit(runTo, to, accountId, counted?.collections ?? 0);
          await copyRows(run, runTo, place, step);
          await checkMover(home, lease);
        });
        await copying.catch((error: unknown) => {
          throw error instanceof UnreadRowsError ? error.cause : error;
        });
        await step();
        await turnTo(home, { place, to, lease });
      }
      await step();
      // Writes that wait for this may hold all other connections: nothing more is asked of another one.
      await deleteRows(run, from, accountId, place.applicationId);
    });
  };

  /** Makes the account's row ready in its new database. */
  const admit = async (run: Run, to: Shard, accountId: string, collections: number) => {
    if (to.isHome) {
      await run('update kalends_account set collections = greatest(collections, $2) where id = $1', [
        ...[accountId, collections],
      ]);
      return;
    }
    const row = await readHomeRow(home.read, accountId);
    if (row === undefined) throw new KalendsError('NotFound', 'There is no such account.');
    await insertCopy(run, to, row, collections);
  };

  return {
    async move(applicationId, accountId, name) {
      const to = shards.all.find((shard) => shard.name === name);
      if (to === undefined) throw new KalendsError('InvalidRequest', `shard: there is none of the name "${name}"`);
      if ((await home.storage.accounts.find(applicationId, accountId)) === undefined) throw unknownAccount();
      // Nothing is closed for a database that is away.
      await to.use(({ health }) => health.reach());
      const moved = await asMover(accountId, async (lease, step) => {
        await finish(accountId, step);
        const { place } = await places.read(accountId);
        if (place === undefined) throw unknownAccount();
        const from = shards.named(place.shard);
        if (from !== to) await make({ place, from, to, lease, step });
      });
      if (moved === undefined)
        throw new KalendsError('Conflict', 'The account is being moved; try again in 30 s if its process has died');
    },
    async recover(accountId) {
      const { place } = await places.read(accountId);
      if (place === undefined || isSettled(place)) return;
      await asMover(accountId, (_lease, step) => finish(accountId, step));
    },
  };
}

const unknownAccount = () => new KalendsError('NotFound', 'There is no such account.');

async function checkMover(home: Shard, { name, epoch }: HeldLease): Promise<void> {
  const [held] = await home.read('select 1 as found from kalends_lease where name = $1 and epoch = $2', [name, epoch]);
  if (held === undefined) throw new KalendsError('Conflict', 'Another process moves the account');
}

/** The switch: from now on the new database counts. */
async function turnTo(home: Shard, { place, to, lease }: Pick<Move, 'place' | 'to' | 'lease'>): Promise<void> {
  const turned = await home.write(
    `update kalends_account_place set shard = $2, moving_to = null, moved_from = $3, is_closed = 0, epoch = epoch + 1
      where account_id = $1 and shard = $3 and moving_to = $2 and epoch = $4
        and exists (select 1 from kalends_lease where name = $5 and epoch = $6) returning 1 as turned`,
    [place.accountId, to.name, place.shard, place.epoch, lease.name, lease.epoch],
  );
  if (turned.length === 0) throw new KalendsError('Conflict', 'Another process moves the account');
}

async function setPlace(home: Shard, accountId: string, change: string, ...values: readonly string[]): Promise<void> {
  await home.write(`update kalends_account_place set ${change} where account_id = $1`, [accountId, ...values]);
}
