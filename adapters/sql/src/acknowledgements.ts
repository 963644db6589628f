import type { Acknowledgement } from 'kalends/ports';
import type { Transaction } from 'kysely';
import type { SqlContext } from './context.ts';
import type { Tables } from './schema.ts';
import { fragment, inList, LIST_LIMIT, type SqlValue, statement, valueRows } from './statement.ts';

type Run = ReturnType<typeof statement>;

/** Acknowledgements that one transaction settles. */
export const ACKNOWLEDGED_AT_ONCE = LIST_LIMIT;

interface Line {
  readonly target_id: string;
  readonly application_id: string;
  readonly epoch: number;
  readonly leased_until: number;
  readonly failing_since: number | null;
}

/** Records attempts, settles their messages and lets their targets go on. */
export async function acknowledge(
  { dialect }: SqlContext,
  transaction: Transaction<Tables>,
  acknowledgements: readonly Acknowledgement[],
): Promise<readonly boolean[]> {
  const run = statement(dialect, transaction);
  const lines = new Map(
    (await lockLines(dialect, transaction, acknowledgements)).map((line) => [line.target_id, line]),
  );
  const known = acknowledgements.filter((each) => lines.get(each.targetId)?.application_id === each.applicationId);
  // A lease that has run out but has not been claimed again is still ours: the epoch tells.
  const held = known.filter(({ targetId, epoch }) => {
    const line = lines.get(targetId);
    return line !== undefined && line.epoch === epoch && line.leased_until !== 0;
  });
  if (known.length > 0) await insertAttempts(run, known);
  await settleMessages(run, held);
  await noteFailures(run, held, lines);
  await release(run, held);
  const settled = new Set(held);
  return acknowledgements.map((each) => settled.has(each));
}

/**
 * In the order of their ids, as everybody does who locks several. Both tables are asked for the ids: PostgreSQL would walk
 * the one that is not.
 */
function lockLines(
  dialect: SqlContext['dialect'],
  transaction: Transaction<Tables>,
  acknowledgements: readonly Acknowledgement[],
): Promise<readonly Line[]> {
  const ids = inList(acknowledgements.map(({ targetId }) => targetId));
  const lock = fragment(dialect.forUpdate.compile(transaction).sql);
  return statement(dialect, transaction)<Line>`
    select d.target_id, d.application_id, d.epoch, d.leased_until, t.failing_since
    from delivery d join target t on t.id = d.target_id
    where t.id in ${ids} and d.target_id in ${ids} order by t.id ${lock}`;
}

async function insertAttempts(run: Run, acknowledgements: readonly Acknowledgement[]): Promise<void> {
  const rows = acknowledgements.map(({ applicationId, targetId, messageId, attempt, outcome }): SqlValue[] => [
    ...[attempt.id, applicationId, targetId, messageId, attempt.eventType, attempt.at],
    ...[attempt.status, attempt.failure, attempt.latencyMs, attempt.excerpt, outcome.kind],
  ]);
  await run`insert into attempt (id, application_id, target_id, message_id, event_type, at, status, failure, latency_ms,
    excerpt, outcome) values ${valueRows(rows)}`;
}

async function settleMessages(run: Run, held: readonly Acknowledgement[]): Promise<void> {
  const idsOf = (isIt: (kind: Acknowledgement['outcome']['kind']) => boolean) =>
    held.filter(({ outcome }) => isIt(outcome.kind)).map(({ messageId }) => messageId);
  const delivered = idsOf((kind) => kind === 'delivered');
  const dead = idsOf((kind) => kind === 'dead' || kind === 'disabled');
  if (delivered.length > 0) {
    await run`update message set state = 'delivered', place = null where id in ${inList(delivered)}`;
  }
  if (dead.length > 0) await run`update message set state = 'dead', place = null where id in ${inList(dead)}`;
  for (const { outcome, messageId } of held) {
    if (outcome.kind === 'retry') await run`update message set retry_at = ${outcome.at} where id = ${messageId}`;
  }
}

async function noteFailures(
  run: Run,
  held: readonly Acknowledgement[],
  lines: ReadonlyMap<string, Line>,
): Promise<void> {
  for (const { outcome, targetId, attempt } of held) {
    const isFailing = lines.get(targetId)?.failing_since !== null;
    if (outcome.kind === 'delivered') {
      if (isFailing) await run`update target set failing_since = null where id = ${targetId}`;
      continue;
    }
    if (!isFailing) await run`update target set failing_since = ${attempt.at} where id = ${targetId}`;
    if (outcome.kind === 'disabled') {
      await run`update target set disabled_at = ${attempt.at}, updated_at = ${attempt.at} where id = ${targetId}`;
    }
  }
}

/** Ends the leases; who has a message left becomes due for it, when its rate and the message's own retry allow it. */
async function release(run: Run, held: readonly Acknowledgement[]): Promise<void> {
  const idsOf = (isDisabled: boolean) =>
    held.filter(({ outcome }) => (outcome.kind === 'disabled') === isDisabled).map(({ targetId }) => targetId);
  const enabled = idsOf(false);
  const disabled = idsOf(true);
  if (enabled.length > 0) {
    await run`update delivery set leased_until = 0, due_at = (
        select case when h.retry_at > delivery.next_send_at then h.retry_at else ceil(delivery.next_send_at) end
        from message h where h.target_id = delivery.target_id and h.place is not null order by h.place limit 1)
      where target_id in ${inList(enabled)}`;
  }
  if (disabled.length > 0) {
    await run`update delivery set leased_until = 0, due_at = null where target_id in ${inList(disabled)}`;
  }
}
