import type { Acknowledgement } from 'kalends/ports';
import type { Transaction } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { compareText } from '../statements/compare-text.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { type ColumnType, rowSources } from '../statements/row-source.ts';
import { oneOf, type Piece, piece, type SqlValue, statement } from '../statements/statement.ts';
import { allowedAt, headDueAt } from './due-times.ts';

type Run = ReturnType<typeof statement>;
type Statements = readonly (() => Promise<unknown>)[];

/** Types of an attempt's id, application, target, message, event type, time, status, failure, latency, excerpt and outcome. */
const ATTEMPT_TYPES: readonly ColumnType[] = [
  ...(['text', 'text', 'text', 'text', 'text', 'bigint', 'bigint', 'text'] as const),
  ...(['double precision', 'text', 'text'] as const),
];

interface Line {
  readonly target_id: string;
  readonly application_id: string;
  readonly epoch: number;
  readonly leased_until: number;
  readonly failing_since: number | null;
  readonly ended_at: number | null;
}

/** Records at most LIST_LIMIT attempts, settles their messages and releases their targets. */
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
    ...release(dialect, run, held),
    ...removeEnded(run, held, lines),
  ]);
  const settled = new Set(held);
  return acknowledgements.map((each) => settled.has(each));
}

/**
 * Locks the lines in the order of their ids, as every transaction does that locks several. With lateral joins each is looked
 * up by itself: PostgreSQL before 17 scans both tables for a longer list.
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
    from kalends_delivery d join kalends_target t on t.id = d.target_id where d.target_id ${condition}`;
}

/** An attempt that is there already was stored by a call whose answer was lost. */
function insertAttempts(dialect: SqlDialect, run: Run, acknowledgements: readonly Acknowledgement[]): Statements {
  const rows = acknowledgements.map(({ applicationId, targetId, messageId, attempt, outcome }): SqlValue[] => [
    ...[attempt.id, applicationId, targetId, messageId, attempt.eventType, attempt.at],
    ...[attempt.status, attempt.failure, attempt.latencyMs, attempt.excerpt, outcome.kind],
  ]);
  return rowSources(dialect, rows, ATTEMPT_TYPES).map(
    (source) => () =>
      run`insert into kalends_attempt (id, application_id, target_id, message_id, event_type, at, status, failure, latency_ms,
        excerpt, outcome) select column1, column2, column3, column4, column5, column6, column7, column8, column9, column10,
        column11 from ${source} where true on conflict do nothing`,
  );
}

function settleMessages(run: Run, held: readonly Acknowledgement[]): Statements {
  const ended = (state: 'delivered' | 'dead', kinds: readonly Acknowledgement['outcome']['kind'][]) => {
    const ids = held.filter(({ outcome }) => kinds.includes(outcome.kind)).map(({ messageId }) => messageId);
    return ids.length === 0
      ? []
      : [() => run`update kalends_message set state = ${state}, place = null where id ${oneOf(ids)}`];
  };
  const again = held.flatMap(({ outcome, messageId }) => {
    if (outcome.kind !== 'retry') return [];
    return [() => run`update kalends_message set retry_at = ${outcome.at} where id = ${messageId}`];
  });
  return [...ended('delivered', ['delivered']), ...ended('dead', ['dead', 'disabled']), ...again];
}

function noteFailures(run: Run, held: readonly Acknowledgement[], lines: ReadonlyMap<string, Line>): Statements {
  return held.flatMap(({ outcome, targetId, attempt: { at } }) => {
    const isFailing = lines.get(targetId)?.failing_since !== null;
    if (outcome.kind === 'delivered') {
      return isFailing ? [() => run`update kalends_target set failing_since = null where id = ${targetId}`] : [];
    }
    const begun = () => run`update kalends_target set failing_since = ${at} where id = ${targetId}`;
    const disabled = () =>
      run`update kalends_target set disabled_at = ${at}, updated_at = ${at} where id = ${targetId}`;
    return [...(isFailing ? [] : [begun]), ...(outcome.kind === 'disabled' ? [disabled] : [])];
  });
}

/** Releases the leases. A target with a message left is due for it when its rate and the message's retry allow it. */
function release(dialect: SqlDialect, run: Run, held: readonly Acknowledgement[]): Statements {
  const idsOf = (isDisabled: boolean) =>
    held.filter(({ outcome }) => (outcome.kind === 'disabled') === isDisabled).map(({ targetId }) => targetId);
  const [enabled, disabled] = [idsOf(false), idsOf(true)];
  const goesOn = () =>
    run`update kalends_delivery set leased_until = 0, due_at = ${headDueAt(allowedAt(dialect))}
      where target_id ${oneOf(enabled)}`;
  const stays = () =>
    run`update kalends_delivery set leased_until = 0, due_at = null where target_id ${oneOf(disabled)}`;
  return [...(enabled.length === 0 ? [] : [goesOn]), ...(disabled.length === 0 ? [] : [stays])];
}

/**
 * Removes targets whose calendar is gone once no message waits for them, the last one having been delivered or given up, or once
 * they are disabled: what waits would never be sent.
 */
function removeEnded(run: Run, held: readonly Acknowledgement[], lines: ReadonlyMap<string, Line>): Statements {
  const ids = held.map(({ targetId }) => targetId).filter((id) => (lines.get(id)?.ended_at ?? null) !== null);
  if (ids.length === 0) return [];
  return [
    () => run`delete from kalends_target where id ${oneOf(ids)} and (disabled_at is not null or not exists (
      select 1 from kalends_message where kalends_message.target_id = kalends_target.id and kalends_message.place is not null))`,
  ];
}
