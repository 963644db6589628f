import type { AttemptRow, DeliveryClaim, DeliveryOutcome, OutboxStore } from 'kalends/ports';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { SqlContext } from './context.ts';
import { enqueueMessage, findHead, toMessage } from './messages.ts';
import type { Tables } from './schema.ts';
import { toSubscription } from './subscriptions.ts';

export function outboxStore(context: SqlContext): OutboxStore {
  const { database, reader, dialect } = context;
  return {
    enqueue: ({ messageId, ...input }) =>
      dialect.transaction(database, (transaction) =>
        enqueueMessage(transaction, dialect, { ...input, messageId: () => messageId }),
      ),
    claim: (input) => dialect.transaction(database, (transaction) => claim(context, transaction, input)),
    acknowledge: (claimed, attempt, outcome) =>
      dialect.transaction(database, (transaction) => acknowledge(context, transaction, claimed, attempt, outcome)),
    async nextDueAt() {
      const row = await reader
        .selectFrom('delivery')
        .select('due_at')
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.due_at ?? null;
    },
    async listAttempts(applicationId, subscriptionId, limit) {
      const rows = await reader
        .selectFrom('attempt')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('subscription_id', '=', subscriptionId)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toAttempt);
    },
    purge: (before) => purge(context, before),
  };
}

async function claim(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<readonly DeliveryClaim[]> {
  const now = await dialect.now(transaction);
  const chosen = await chooseDue(transaction, now, limit);
  if (chosen.length === 0) return [];
  const due = await transaction
    .selectFrom('delivery')
    .selectAll()
    .where('subscription_id', 'in', chosen)
    // Another sender may have claimed it since we chose.
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('subscription_id')
    .modifyEnd(dialect.forUpdateSkipLocked)
    .execute();
  const claims: DeliveryClaim[] = [];
  for (const delivery of due) {
    const claimed = await claimHead(transaction, delivery, now, leaseMs);
    if (claimed !== undefined) claims.push(claimed);
  }
  return claims;
}

/** Due subscriptions, longest due first, but in turns by application, so that one tenant's thousands do not hold up the others. */
async function chooseDue(transaction: Transaction<Tables>, now: number, limit: number): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly id: string }>`
    select id from (
      select d.subscription_id as id, d.due_at as due_at,
        row_number() over (partition by s.application_id order by d.due_at, d.subscription_id) as turn
      from delivery d join subscription s on s.id = d.subscription_id
      where d.due_at <= ${now}
    ) as waiting
    order by turn, due_at, id limit ${limit}`.execute(transaction);
  return rows.map(({ id }) => id);
}

async function claimHead(
  transaction: Transaction<Tables>,
  delivery: Selectable<Tables['delivery']>,
  now: number,
  leaseMs: number,
): Promise<DeliveryClaim | undefined> {
  const subscription = await transaction
    .selectFrom('subscription')
    .selectAll()
    .where('id', '=', delivery.subscription_id)
    .executeTakeFirst();
  const head = await findHead(transaction, delivery.subscription_id);
  if (subscription === undefined || subscription.disabled_at !== null || head === undefined) {
    await setDelivery(transaction, delivery.subscription_id, { due_at: null });
    return undefined;
  }
  const epoch = delivery.epoch + 1;
  const spacing = subscription.rate_limit === null ? 0 : 1000 / subscription.rate_limit;
  await setDelivery(transaction, subscription.id, {
    epoch,
    leased_until: now + leaseMs,
    // A sender that dies leaves the message due again when its lease ends.
    due_at: now + leaseMs,
    // Clocks tick in milliseconds: counting from the fraction that was due keeps 300 a second from becoming 250.
    next_send_at: (now - delivery.next_send_at < 1 ? delivery.next_send_at : now) + spacing,
  });
  const attempts = head.attempts + 1;
  await transaction.updateTable('message').set({ state: 'retrying', attempts }).where('seq', '=', head.seq).execute();
  return { subscription: toSubscription(subscription), message: toMessage({ ...head, attempts }), epoch };
}

async function acknowledge(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  claimed: Parameters<OutboxStore['acknowledge']>[0],
  attempt: AttemptRow,
  outcome: DeliveryOutcome,
): Promise<boolean> {
  const delivery = await transaction
    .selectFrom('delivery')
    .innerJoin('subscription', 'subscription.id', 'delivery.subscription_id')
    .select(['delivery.epoch', 'delivery.leased_until', 'delivery.next_send_at', 'subscription.failing_since'])
    .where('subscription.application_id', '=', claimed.applicationId)
    .where('subscription.id', '=', claimed.subscriptionId)
    .modifyEnd(dialect.forUpdate)
    .executeTakeFirst();
  if (delivery === undefined) return false;
  await transaction
    .insertInto('attempt')
    .values({
      id: attempt.id,
      application_id: claimed.applicationId,
      subscription_id: claimed.subscriptionId,
      message_id: attempt.messageId,
      at: attempt.at,
      status: attempt.status,
      failure: attempt.failure,
      latency_ms: attempt.latencyMs,
      excerpt: attempt.excerpt,
    })
    .execute();
  const head = await findHead(transaction, claimed.subscriptionId);
  // A lease that has run out but has not been claimed again is still ours: the epoch tells.
  if (delivery.epoch !== claimed.epoch || delivery.leased_until === 0 || head?.id !== claimed.messageId) return false;
  await settleMessage(transaction, head.seq, outcome);
  await transaction
    .updateTable('subscription')
    .set({
      failing_since: outcome.kind === 'delivered' ? null : (delivery.failing_since ?? attempt.at),
      ...(outcome.kind === 'disabled' ? { disabled_at: attempt.at, updated_at: attempt.at } : {}),
    })
    .where('id', '=', claimed.subscriptionId)
    .execute();
  const next = outcome.kind === 'disabled' ? undefined : await findHead(transaction, claimed.subscriptionId);
  await setDelivery(transaction, claimed.subscriptionId, {
    leased_until: 0,
    due_at: next === undefined ? null : Math.max(Math.ceil(delivery.next_send_at), next.retry_at),
  });
  return true;
}

async function settleMessage(transaction: Transaction<Tables>, seq: number, outcome: DeliveryOutcome): Promise<void> {
  await transaction
    .updateTable('message')
    .set(
      outcome.kind === 'retry'
        ? { retry_at: outcome.at }
        : { state: outcome.kind === 'delivered' ? 'delivered' : 'dead', place: null },
    )
    .where('seq', '=', seq)
    .execute();
}

async function setDelivery(
  transaction: Transaction<Tables>,
  subscriptionId: string,
  patch: Partial<Omit<Selectable<Tables['delivery']>, 'subscription_id'>>,
): Promise<void> {
  await transaction.updateTable('delivery').set(patch).where('subscription_id', '=', subscriptionId).execute();
}

/** Rows that one transaction of a purge removes. */
const PURGE_PART = 500;

/** What waits for an enabled subscription stays whatever its age: it will be sent or die first. */
async function purge({ database, dialect }: SqlContext, before: number): Promise<number> {
  let removed = 0;
  for (const deletePart of [deleteMessages, deleteAttempts]) {
    let part = await deletePart(database, before);
    for (; part === PURGE_PART; part = await deletePart(database, before)) {
      removed += part;
      await dialect.pause();
    }
    removed += part;
  }
  return removed;
}

async function deleteMessages(database: Kysely<Tables>, before: number): Promise<number> {
  const result = await database
    .deleteFrom('message')
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('message as m')
        .innerJoin('subscription as s', 's.id', 'm.subscription_id')
        .select('m.seq')
        .where('m.created_at', '<', before)
        .where(({ or, eb: each }) => or([each('m.place', 'is', null), each('s.disabled_at', 'is not', null)]))
        .limit(PURGE_PART),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

async function deleteAttempts(database: Kysely<Tables>, before: number): Promise<number> {
  const result = await database
    .deleteFrom('attempt')
    .where('id', 'in', (eb) => eb.selectFrom('attempt').select('id').where('at', '<', before).limit(PURGE_PART))
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

function toAttempt(row: Selectable<Tables['attempt']>): AttemptRow {
  return {
    id: row.id,
    messageId: row.message_id,
    at: row.at,
    status: row.status,
    failure: row.failure,
    latencyMs: row.latency_ms,
    excerpt: row.excerpt,
  };
}
