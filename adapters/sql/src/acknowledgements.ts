import type { Acknowledgement } from 'kalends/ports';
import type { Transaction } from 'kysely';
import { compareText } from './compare-text.ts';
import type { SqlContext } from './context.ts';
import type { SqlDialect } from './dialect.ts';
import { type ColumnType, rowSources } from './row-source.ts';
import type { Tables } from './schema.ts';
import { LIST_LIMIT, oneOf, type Piece, piece, type SqlValue, statement } from './statement.ts';

type Run = ReturnType<typeof statement>;
type Statements = readonly (() => Promise<unknown>)[];

/** Of an attempt's id, application, target, message, type of event, time, status, failure, latency, excerpt and outcome. */
const ATTEMPT_TYPES: readonly ColumnType[] = [
  ...(['text', 'text', 'text', 'text', 'text', 'bigint', 'bigint', 'text'] as const),
  ...(['double precision', 'text', 'text'] as const),
];

/** Acknowledgements that one transaction settles. */
export const ACKNOWLEDGED_AT_ONCE = LIST_LIMIT;

interface Line {
  readonly target_id: string;
  readonly application_id: string;
  readonly epoch: number;
  readonly leased_until: number;
  readonly failing_since: number | null;
  readonly ended_at: number | null;
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
  await dialect.together([
    ...insertAttempts(dialect, run, known),
    ...settleMessages(run, held),
    ...noteFailures(run, held, lines),
    ...release(run, held),
    ...removeEnded(run, held, lines),
  ]);
  const settled = new Set(held);
  return acknowledgements.map((each) => settled.has(each));
}

/**
 * In the order of their ids, as everybody does who locks several. Where it can be said, each is looked up by itself:
 * before 17 PostgreSQL walks both tables for a list of some length.
 */
function lockLines(
  dialect: SqlDialect,
  transaction: Transaction<Tables>,
  acknowledgements: readonly Acknowledgement[],
): Promise<readonly Line[]> {
  const run = statement(dialect, transaction);
  const ids = [...new Set(acknowledgements.map(({ targetId }) => targetId))].sort(compareText);
  if (!(dialect.hasLateral && dialect.hasArrays)) return run`${linesOf(piece`${oneOf(ids)}`)}`;
  return run`select line.* from unnest(${{ array: ids }}::text[]) as wanted (id)
    cross join lateral (${linesOf(piece`= wanted.id for update`)}) as line`;
}

function linesOf(condition: Piece): Piece {
  return piece`select d.target_id, d.application_id, d.epoch, d.leased_until, t.failing_since, t.ended_at
    from delivery d join target t on t.id = d.target_id where d.target_id ${condition}`;
}

function insertAttempts(dialect: SqlDialect, run: Run, acknowledgements: readonly Acknowledgement[]): Statements {
  const rows = acknowledgements.map(({ applicationId, targetId, messageId, attempt, outcome }): SqlValue[] => [
    ...[attempt.id, applicationId, targetId, messageId, attempt.eventType, attempt.at],
    ...[attempt.status, attempt.failure, attempt.latencyMs, attempt.excerpt, outcome.kind],
  ]);
  return rowSources(dialect, rows, ATTEMPT_TYPES).map(
    (source) => () =>
      run`insert into attempt (id, application_id, target_id, message_id, event_type, at, status, failure, latency_ms,
        excerpt, outcome) select column1, column2, column3, column4, column5, column6, column7, column8, column9, column10,
        column11 from ${source}`,
  );
}

function settleMessages(run: Run, held: readonly Acknowledgement[]): Statements {
  const ended = (state: 'delivered' | 'dead', kinds: readonly Acknowledgement['outcome']['kind'][]) => {
    const ids = held.filter(({ outcome }) => kinds.includes(outcome.kind)).map(({ messageId }) => messageId);
    return ids.length === 0
      ? []
      : [() => run`update message set state = ${state}, place = null where id ${oneOf(ids)}`];
  };
  const again = held.flatMap(({ outcome, messageId }) => {
    if (outcome.kind !== 'retry') return [];
    return [() => run`update message set retry_at = ${outcome.at} where id = ${messageId}`];
  });
  return [...ended('delivered', ['delivered']), ...ended('dead', ['dead', 'disabled']), ...again];
}

function noteFailures(run: Run, held: readonly Acknowledgement[], lines: ReadonlyMap<string, Line>): Statements {
  return held.flatMap(({ outcome, targetId, attempt: { at } }) => {
    const isFailing = lines.get(targetId)?.failing_since !== null;
    if (outcome.kind === 'delivered') {
      return isFailing ? [() => run`update target set failing_since = null where id = ${targetId}`] : [];
    }
    const begun = () => run`update target set failing_since = ${at} where id = ${targetId}`;
    const disabled = () => run`update target set disabled_at = ${at}, updated_at = ${at} where id = ${targetId}`;
    return [...(isFailing ? [] : [begun]), ...(outcome.kind === 'disabled' ? [disabled] : [])];
  });
}

/** Ends the leases; who has a message left becomes due for it, when its rate and the message's own retry allow it. */
function release(run: Run, held: readonly Acknowledgement[]): Statements {
  const idsOf = (isDisabled: boolean) =>
    held.filter(({ outcome }) => (outcome.kind === 'disabled') === isDisabled).map(({ targetId }) => targetId);
  const [enabled, disabled] = [idsOf(false), idsOf(true)];
  const goesOn = () =>
    run`update delivery set leased_until = 0, due_at = (
        select case when h.retry_at > delivery.next_send_at then h.retry_at else ceil(delivery.next_send_at) end
        from message h where h.target_id = delivery.target_id and h.place is not null order by h.place limit 1)
      where target_id ${oneOf(enabled)}`;
  const rests = () => run`update delivery set leased_until = 0, due_at = null where target_id ${oneOf(disabled)}`;
  return [...(enabled.length === 0 ? [] : [goesOn]), ...(disabled.length === 0 ? [] : [rests])];
}

/** Targets whose calendar is gone are removed once nothing waits for them: their last message was delivered or given up. */
function removeEnded(run: Run, held: readonly Acknowledgement[], lines: ReadonlyMap<string, Line>): Statements {
  const ids = held.map(({ targetId }) => targetId).filter((id) => (lines.get(id)?.ended_at ?? null) !== null);
  if (ids.length === 0) return [];
  return [
    () => run`delete from target where id ${oneOf(ids)} and not exists (
      select 1 from message where message.target_id = target.id and message.place is not null)`,
  ];
}
