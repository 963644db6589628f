import type { SqlDialect } from '../statements/dialect.ts';
import { clockOf, type Piece, piece } from '../statements/statement.ts';

/**
 * When the rate of a row of `kalends_delivery` allows its next send: at `next_send_at`, which is one spacing ahead at most.
 * It is further ahead where the clock of the storage has been set back since: then one spacing from now.
 */
export function allowedAt(dialect: SqlDialect): Piece {
  const now = clockOf(dialect);
  return piece`case when next_send_at > ${now} + spacing_ms then ceil(${now} + spacing_ms) else ceil(next_send_at) end`;
}

/** The same, and not before now: a line that begins to wait queues up behind those that are due. */
export function allowedFromNow(dialect: SqlDialect): Piece {
  const [now, allowed] = [clockOf(dialect), allowedAt(dialect)];
  return piece`case when ${allowed} < ${now} then ${now} else ${allowed} end`;
}

/**
 * When the head of a line may be sent, by its own retry and by when its target's rate allows it; null without one. The rest of the line is
 * not read.
 */
export function headDueAt(allowed: Piece): Piece {
  return piece`(select case when h.retry_at > ${allowed} then h.retry_at else ${allowed} end from kalends_message h
    where h.target_id = kalends_delivery.target_id and h.place is not null order by h.place limit 1)`;
}
