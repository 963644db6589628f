import { type Clock, type HeldLease, KalendsError } from 'kalends/ports';
import type { CopiedAccount } from './copy-rows.ts';
import type { Run } from './run.ts';
import type { Shard } from './shard.ts';

const WORK_LEASE_MS = 60_000;
/** How long a move waits for the pulls of its account to end. */
const LONGEST_WAIT_MS = 120_000;
const PAUSE_MS = 100;

/**
 * Claims the leases of background work on an account and of its pulls, so that none is under way, and none begins: pulls remember
 * positions of the re-read list, whose entries get other numbers.
 * @throws KalendsError Conflict when they do not end in time
 */
export async function claimWork(
  shard: Shard,
  { accountId, applicationId }: CopiedAccount,
  { clock, step }: { readonly clock: Clock; readonly step: () => Promise<void> },
): Promise<readonly HeldLease[]> {
  const calendars = await shard.read<{ readonly calendar: string }>(
    'select calendar_id as calendar from kalends_collection where account_id = $1 order by calendar_id',
    [accountId],
  );
  const pulls = ['', ...calendars.map(({ calendar }) => calendar).filter((calendar) => calendar !== '')];
  const names = [`account:${accountId}`, ...pulls.map((calendar) => `pull:${applicationId}:${accountId}:${calendar}`)];
  const held: HeldLease[] = [];
  const until = clock.now() + LONGEST_WAIT_MS;
  for (const name of names) {
    for (;;) {
      await step();
      const claim = await shard.storage.leases.claim(name, WORK_LEASE_MS);
      if (claim !== undefined) {
        held.push({ name, epoch: claim.epoch });
        break;
      }
      if (clock.now() > until) {
        for (const each of held) await shard.storage.leases.release(each.name, each.epoch);
        throw new KalendsError('Conflict', 'The account is busy: try again later');
      }
      await clock.sleep(PAUSE_MS);
      await shard.storage.leases.renew(held, WORK_LEASE_MS);
    }
  }
  return held;
}

/**
 * Looks for work that was claimed since, of calendars that are new.
 * @throws KalendsError Conflict when there is any
 */
export async function refuseOtherWork(
  run: Run,
  { accountId, applicationId }: CopiedAccount,
  { work, now }: { readonly work: readonly HeldLease[]; readonly now: number },
): Promise<void> {
  const running = await run<{ readonly name: string; readonly epoch: number }>(
    `select name, epoch from kalends_lease where leased_until > $3
      and (name = 'account:' || $1 or starts_with(name, 'pull:' || $2 || ':' || $1 || ':'))`,
    [accountId, applicationId, now],
  );
  const isOurs = (lease: HeldLease) => work.some(({ name, epoch }) => name === lease.name && epoch === lease.epoch);
  if (!running.every(isOurs)) throw new KalendsError('Conflict', 'The account is busy: try again later');
}
