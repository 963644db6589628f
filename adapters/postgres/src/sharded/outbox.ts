import type {
  Acknowledgement,
  ClaimInput,
  DeliveryCapacity,
  DeliveryClaim,
  DeliveryFence,
  OutboxStore,
} from 'kalends/ports';
import type { ShardedContext } from './context.ts';
import { createLateClaims } from './late-claims.ts';
import { overGroups } from './leases.ts';
import type { FoundPlace } from './places.ts';
import { ofTarget } from './receivers.ts';
import { routedStore } from './routed-store.ts';
import type { Shard } from './shard.ts';
import type { ShardSet } from './shard-set.ts';
import { earliest } from './sums.ts';

/** Acknowledgements that wait for a shard that is away, at most; beyond it their messages are sent again. */
const MOST_LATE = 10_000;

/** An acknowledgement on its way to the shard of its target. */
interface Routed {
  readonly acknowledgement: Acknowledgement;
  readonly accountId: string | null;
  readonly found: FoundPlace | undefined;
}

/** Stores messages with their targets: those of subscriptions with the account, those of endpoints in the home database. */
export function shardedOutbox(context: ShardedContext): OutboxStore {
  const { shards, router, targets } = context;
  const late: Acknowledgement[] = [];
  const overdue = createLateClaims<DeliveryClaim>();
  /** Whether some of them wait for the end of a move, which is near. */
  let isMoveAwaited = false;
  /** Outcomes of acknowledgements of calls that failed in part: their callers repeat them. By the ids of attempts. */
  const stored = new Map<string, boolean>();
  const keep = ({ acknowledgement }: Routed) => {
    if (late.length < MOST_LATE) late.push(acknowledgement);
  };

  /** Groups acknowledgements by shard. Those of an account on the move wait for its end. */
  const route = async (given: readonly Acknowledgement[]) => {
    const all = [...late.splice(0), ...given];
    isMoveAwaited = false;
    const { accounts } = await targets.findMany(all.map(({ targetId }) => targetId));
    const groups = new Map<Shard, Routed[]>();
    for (const acknowledgement of all) {
      const accountId = accounts.get(acknowledgement.targetId) ?? null;
      const at = accountId === null ? { shard: shards.home, found: undefined } : await router.shardOf(accountId);
      const routed = { acknowledgement, accountId, found: at.found };
      if (at.found?.place?.movingTo != null && (await isClosed(shards, at.shard, accountId))) {
        keep(routed);
        isMoveAwaited = true;
      } else groups.set(at.shard, [...(groups.get(at.shard) ?? []), routed]);
    }
    return groups;
  };

  /** Whether the account of an acknowledgement was moved while it was on its way. */
  const hasMoved = async ({ accountId, found }: Routed): Promise<boolean> =>
    accountId !== null && found !== undefined && !(await router.isStill(accountId, found));

  /** Acknowledges, and claims in rounds, so that neither a shard with thousands of deliveries nor its first application takes all. */
  const take = async (
    groups: ReadonlyMap<Shard, readonly Routed[]>,
    done: Map<string, boolean>,
    { limit, leaseMs, capacity }: ClaimInput,
  ): Promise<readonly DeliveryClaim[]> => {
    const claims = [...overdue.take(limit)];
    const served = new Set<Shard>();
    const full = new Set(shards.all);
    while (served.size === 0 || (full.size > 0 && claims.length < limit)) {
      const share = Math.ceil((limit - claims.length) / Math.max(1, full.size));
      for (const shard of shards.rotated()) {
        const own = served.has(shard) ? [] : (groups.get(shard) ?? []);
        const most = full.has(shard) ? Math.max(0, Math.min(share, limit - claims.length)) : 0;
        served.add(shard);
        if (own.length === 0 && most === 0) continue;
        const given = own.map((each) => each.acknowledgement);
        const free = capacity === undefined ? {} : { capacity: besides(capacity, [...claims]) };
        const askedAt = overdue.now();
        // Without the home database the whole call fails, and the caller repeats it.
        const turn = await shards.askInTime(
          shard,
          ({ outbox }) => outbox.acknowledgeAndClaim(given, { limit: most, leaseMs, ...free }),
          (late) => overdue.keep(late.claims, askedAt, leaseMs),
        );
        if (turn === undefined) {
          own.forEach(keep);
          full.delete(shard);
          continue;
        }
        const { settled, claims: made } = turn.answer;
        claims.push(...made);
        if (made.length < most) full.delete(shard);
        for (const [index, { acknowledgement }] of own.entries()) {
          done.set(acknowledgement.attempt.id, settled[index] === true);
        }
        for (const [index, routed] of own.entries()) {
          if (settled[index] === true || !(await hasMoved(routed))) continue;
          keep(routed);
          isMoveAwaited = true;
        }
      }
      if (limit === 0) break;
    }
    return claims;
  };

  return {
    ...routedStore(
      context,
      'outbox',
      { listAttempts: 'read', redeliver: 'write', recover: 'write' },
      ofTarget(context),
    ),
    ...routedStore(context, 'outbox', { enqueue: 'write', giveBack: 'write' }, async ([input]) => {
      return (await targets.find((input as DeliveryFence).targetId)) ?? null;
    }),
    async acknowledgeAndClaim(acknowledgements, input) {
      const waiting = [...late];
      const done = new Map(stored);
      try {
        const groups = await route(acknowledgements.filter(({ attempt }) => !done.has(attempt.id)));
        const claims = await take(groups, done, input);
        for (const { target } of claims) targets.note(target.id, target.accountId);
        for (const { attempt } of acknowledgements) stored.delete(attempt.id);
        return { settled: acknowledgements.map(({ attempt }) => done.get(attempt.id) === true), claims };
      } catch (error) {
        for (const { attempt } of acknowledgements) {
          const isSettled = done.get(attempt.id);
          if (isSettled !== undefined) stored.set(attempt.id, isSettled);
        }
        // The caller repeats its own only.
        late.push(...waiting.filter((each) => !done.has(each.attempt.id) && !late.includes(each)));
        throw error;
      }
    },
    async renew(held, leaseMs) {
      const { accounts } = await targets.findMany(held.map(({ targetId }) => targetId));
      const groups = new Map<Shard, DeliveryFence[]>();
      for (const fence of held) {
        const accountId = accounts.get(fence.targetId) ?? null;
        const shard = accountId === null ? shards.home : (await router.shardOf(accountId)).shard;
        groups.set(shard, [...(groups.get(shard) ?? []), fence]);
      }
      await overGroups(groups, (shard, fences) => shard.use(({ outbox }) => outbox.renew(fences, leaseMs)));
    },
    async nextDueAt(capacity) {
      // At once: until it is acknowledged, a message that was delivered is sent again when its lease ends.
      if (isMoveAwaited || overdue.hasAny()) return 0;
      return await earliest(shards, ({ outbox }) => outbox.nextDueAt(capacity));
    },
    async purge(before) {
      const counts = await shards.workInReachable(({ outbox }) => outbox.purge(before));
      return counts.reduce((sum, each) => sum + each, 0);
    },
  };
}

/** Whether writes to the account wait; of a shard that is away, too. */
async function isClosed(shards: ShardSet, shard: Shard, accountId: string | null): Promise<boolean> {
  const rows = await shards.askInTime(shard, () =>
    shard.read('select 1 as found from kalends_account_place where account_id = $1 and is_closed = 1', [accountId]),
  );
  return rows === undefined || rows.answer.length > 0;
}

/** Returns the rest of a capacity beside claims that were made already. */
function besides(capacity: DeliveryCapacity, claims: readonly DeliveryClaim[]): DeliveryCapacity {
  const ofApplication = (id: string) => claims.filter(({ target }) => target.applicationId === id);
  return {
    ofApplication: (id) => capacity.ofApplication(id) - ofApplication(id).length,
    ofHost: (id, host) => capacity.ofHost(id, host) - ofApplication(id).filter((each) => each.host === host).length,
  };
}
