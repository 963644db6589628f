import type { ClaimInput, DeliveryCapacity, DeliveryClaim } from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { fragment, LIST_LIMIT, oneOf, piece, statement } from '../statements/statement.ts';
import { toMessage } from './messages.ts';
import { type DueLane, type Share, shareOut } from './share-out.ts';
import { toReceiver } from './targets.ts';

type Run = ReturnType<typeof statement>;

/** Claims due targets and marks their heads attempted. */
export async function claim(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  { limit, leaseMs, capacity }: ClaimInput,
): Promise<readonly DeliveryClaim[]> {
  const run = statement(dialect, transaction);
  const now = await dialect.now(transaction);
  const most = Math.min(limit, LIST_LIMIT);
  const shares = shareOut(await readLanes(run, now, most), most, capacity);
  const deliveries: Claimed[] = [];
  const leases = [...byCount(shares)].map(([count, lanes]) => async () => {
    deliveries.push(...(await lease(run, dialect, { lanes, count, now, leaseMs })));
  });
  await dialect.together(leases);
  return deliveries.length === 0 ? [] : claimHeads(run, dialect, deliveries);
}

/** A lane with the target that is due first. */
interface WaitingLane extends DueLane {
  readonly target_id: string;
}

type Message = Selectable<Tables['kalends_message']>;
type Claimed = Pick<Selectable<Tables['kalends_delivery']>, 'target_id' | 'host' | 'epoch'>;

/**
 * Counts the due targets by application and host, each up to `most`. It steps from lane to lane of an index of waiting
 * targets: the cost depends on the lanes, not on the targets in one. SQLite does cross joins in the order of the text.
 */
function readLanes(run: Run, by: number, most: number): Promise<readonly WaitingLane[]> {
  return run<WaitingLane>`with recursive lane (target_id) as (
      select (select target_id from kalends_delivery where due_at is not null order by application_id, host, due_at limit 1)
      union all
      select coalesce(
        (select n.target_id from kalends_delivery n
          where n.due_at is not null and n.application_id = d.application_id and n.host > d.host
          order by n.host, n.due_at limit 1),
        (select n.target_id from kalends_delivery n where n.due_at is not null and n.application_id > d.application_id
          order by n.application_id, n.host, n.due_at limit 1))
      from lane cross join kalends_delivery d where d.target_id = lane.target_id
    )
    select d.target_id, d.application_id, d.host, d.due_at as first_due_at, (select count(*) from (
        select 1 from kalends_delivery e where e.application_id = d.application_id and e.host = d.host and e.due_at <= ${by}
        limit ${most}) as counted) as due
    from lane cross join kalends_delivery d where d.target_id = lane.target_id and +d.due_at <= ${by}`;
}

/**
 * Leases the longest due targets of each lane, except those that another sender is claiming. Targets of a sender that dies
 * are due again when their lease ends. Clocks tick in milliseconds: counting from the fraction that was due keeps 300 a
 * second from becoming 250. One far ahead is from before the storage's clock was set back.
 */
function lease(
  run: Run,
  dialect: SqlDialect,
  from: {
    readonly lanes: readonly WaitingLane[];
    /** Greatest number from each lane. */
    readonly count: number;
    readonly now: number;
    readonly leaseMs: number;
  },
): Promise<readonly Claimed[]> {
  const { count, now, leaseMs } = from;
  const lanes = oneOf(from.lanes.map(({ target_id }) => target_id));
  const [each, lock] = dialect.hasLateral ? [LATERAL, fragment(`${dialect.forUpdateSkipLocked}) d`)] : CORRELATED;
  const runOutBy = dialect.runOutBy(now);
  // A due target is free, except after an outage: only then the rows are read beside the index.
  const isFree = runOutBy < now ? piece`and leased_until <= ${runOutBy}` : fragment('');
  return run<Claimed>`with taken as materialized (
      select d.target_id from kalends_delivery first cross join ${each} (
        select target_id from kalends_delivery
        where application_id = first.application_id and host = first.host and due_at <= ${now} ${isFree}
        order by due_at, target_id limit ${count} ${lock}
      where first.target_id ${lanes})
    update kalends_delivery set epoch = epoch + 1, leased_until = ${now + leaseMs}, due_at = ${now + leaseMs},
      next_send_at = case when abs(${now} - next_send_at) < 1 then next_send_at else ${now} end + spacing_ms
    where target_id in (select target_id from taken) returning target_id, host, epoch`;
}

/** Text before and behind the rows of each lane. */
const LATERAL = fragment('lateral');
const CORRELATED = [fragment('kalends_delivery d on d.target_id in'), fragment(')')] as const;

function byCount(shares: readonly Share<WaitingLane>[]): ReadonlyMap<number, readonly WaitingLane[]> {
  const groups = new Map<number, WaitingLane[]>();
  for (const { lane, count } of shares) groups.set(count, [...(groups.get(count) ?? []), lane]);
  return groups;
}

/** Marks the heads of the leased lines attempted. A target without one, or a disabled one, is due no longer. */
async function claimHeads(
  run: Run,
  dialect: SqlDialect,
  deliveries: readonly Claimed[],
): Promise<readonly DeliveryClaim[]> {
  const ids = oneOf(deliveries.map(({ target_id }) => target_id));
  const enabled = new Map<string, Parameters<typeof toReceiver>[0]>();
  const headOf = new Map<string, Message>();
  const readTargets = async () => {
    const rows = await run<Parameters<typeof toReceiver>[0]>`select * from kalends_target
      where id ${ids} and disabled_at is null`;
    for (const row of rows) enabled.set(row.id, row);
  };
  const markHeads = async () => {
    const attempted = fragment("update kalends_message set state = 'retrying', attempts = attempts + 1");
    const head = fragment(`select h.seq from kalends_message h where h.target_id = t.id and h.place is not null
      order by h.place limit 1`);
    // PostgreSQL would scan all messages for the list of heads.
    const rows = await (dialect.hasLateral
      ? run<Message>`${attempted} from kalends_target t cross join lateral (${head}) as head
          where t.id ${ids} and t.disabled_at is null and kalends_message.seq = head.seq returning kalends_message.*`
      : run<Message>`${attempted} where seq in (select (${head}) from kalends_target t where t.id ${ids} and t.disabled_at is null)
          returning *`);
    for (const row of rows) headOf.set(row.target_id, row);
  };
  await dialect.together([readTargets, markHeads]);
  const claims: DeliveryClaim[] = [];
  const idle: string[] = [];
  for (const { target_id, host, epoch } of deliveries) {
    const [target, head] = [enabled.get(target_id), headOf.get(target_id)];
    if (target === undefined || head === undefined) idle.push(target_id);
    else claims.push({ target: toReceiver(target), host, message: toMessage(head), epoch });
  }
  if (idle.length > 0) {
    await run`update kalends_delivery set leased_until = 0, due_at = null where target_id ${oneOf(idle)}`;
  }
  return claims;
}

/** Returns the earliest time at which a claim may find a message. */
export async function nextDueAt(
  { reader, dialect }: Pick<SqlContext, 'reader' | 'dialect'>,
  capacity: DeliveryCapacity | undefined,
): Promise<number | null> {
  const run = statement(dialect, reader);
  const isOpen = ({ application_id, host }: Pick<DueLane, 'application_id' | 'host'>) =>
    capacity === undefined || (capacity.ofApplication(application_id) > 0 && capacity.ofHost(application_id, host) > 0);
  const [first] = await run<DueLane>`select application_id, host, 1 as due, due_at as first_due_at
    from kalends_delivery where due_at >= 0 order by due_at limit 1`;
  if (first === undefined) return null;
  if (isOpen(first)) return first.first_due_at;
  // The first waits for others of its host: another host may be due next.
  const lanes = await readLanes(run, Number.MAX_SAFE_INTEGER, 1);
  const times = lanes.filter(isOpen).map(({ first_due_at }) => first_due_at);
  return times.length === 0 ? null : Math.min(...times);
}
