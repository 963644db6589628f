import type { AttemptRow, OutboxStore } from 'kalends/ports';
import type { Kysely, Selectable } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { rowSources } from '../statements/row-source.ts';
import { batch, clockOf, fragment, lists, piece, statement } from '../statements/statement.ts';
import { acknowledge } from './acknowledgements.ts';
import { claim, nextDueAt } from './claims.ts';
import { enqueueMessage, toChange } from './messages.ts';
import { redelivery } from './redelivery.ts';

export function outboxStore(context: SqlContext): OutboxStore {
  const { database, reader, dialect } = context;

  return {
    enqueue: ({ messageId, ...input }) =>
      dialect.transaction(database, (transaction) =>
        enqueueMessage(transaction, dialect, { ...input, messageId: () => messageId }),
      ),
    async acknowledgeAndClaim(acknowledgements, input) {
      const settled: boolean[] = [];
      const parts = lists(acknowledgements);
      for (const part of parts.slice(0, -1)) {
        settled.push(
          ...(await dialect.transaction(database, (transaction) => acknowledge(context, transaction, part))),
        );
      }
      const last = parts.at(-1) ?? [];
      return dialect.transaction(database, async (transaction) => {
        const ends: boolean[] = [];
        const end = async () => void ends.push(...(await acknowledge(context, transaction, last)));
        // The claim needs the clock: read beside the acknowledgement, it costs no round trip of its own.
        if (last.length > 0) await dialect.together([() => dialect.now(transaction), end]);
        const claims = input.limit > 0 ? await claim(context, transaction, input) : [];
        return { settled: [...settled, ...ends], claims };
      });
    },
    giveBack: ({ targetId, messageId, epoch }, afterMs) =>
      dialect.transaction(database, async (transaction) => {
        const run = statement(dialect, transaction);
        const held = await run`update kalends_delivery set leased_until = 0, due_at = ${clockOf(dialect)} + ${afterMs}
          where target_id = ${targetId} and epoch = ${epoch} and leased_until <> 0 returning 1 as held`;
        if (held.length === 0) return;
        await run`update kalends_message
          set attempts = attempts - 1, state = case when attempts = 1 then 'unattempted' else state end
          where id = ${messageId} and target_id = ${targetId} and place is not null and attempts > 0`;
      }),
    async renew(held, leaseMs) {
      const rows = held.map(({ targetId, epoch }) => [targetId, epoch]);
      await batch(dialect, database, () => {
        const until = piece`${clockOf(dialect)} + ${leaseMs}`;
        return rowSources(dialect, rows, ['text', 'bigint']).map(
          // A locked target is being acknowledged.
          (source) => piece`update kalends_delivery set leased_until = ${until}, due_at = ${until} where target_id in (
            select d.target_id from kalends_delivery d join (select column1, column2 from ${source}) as held
              on d.target_id = held.column1 and d.epoch = held.column2
            where d.leased_until > 0 ${fragment(dialect.lockFreeOf('d'))})`,
        );
      });
    },
    nextDueAt: (capacity) => nextDueAt(context, capacity),
    async listAttempts(applicationId, targetId, { after, limit }) {
      let query = reader
        .selectFrom('kalends_attempt as a')
        .leftJoin('kalends_message as m', 'm.id', 'a.message_id')
        .selectAll('a')
        .select(['m.changed_at', 'm.data', 'm.change', 'm.place', 'm.retry_at'])
        .where('a.application_id', '=', applicationId)
        .where('a.target_id', '=', targetId)
        .orderBy('a.at', 'desc')
        .orderBy('a.id', 'desc')
        .limit(limit);
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('a.at', 'a.id'), '<', tuple(after.at, after.id)));
      }
      return (await query.execute()).map(toAttempt);
    },
    ...redelivery(context),
    purge: (before) => purge(context, before),
  };
}

/** Rows that one transaction of a purge removes. */
const PURGE_PART = 500;

/** Removes old attempts and messages. A message that waits for an enabled target stays: it will be sent or die first. */
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
    .deleteFrom('kalends_message')
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('kalends_message as m')
        .innerJoin('kalends_target as t', 't.id', 'm.target_id')
        .select('m.seq')
        .where('m.created_at', '<', before)
        .where(({ or, eb: each }) => or([each('m.place', 'is', null), each('t.disabled_at', 'is not', null)]))
        .limit(PURGE_PART),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

async function deleteAttempts(database: Kysely<Tables>, before: number): Promise<number> {
  const result = await database
    .deleteFrom('kalends_attempt')
    .where(({ eb, refTuple }) =>
      eb(
        refTuple('target_id', 'at', 'id'),
        'in',
        eb
          .selectFrom('kalends_attempt as a')
          .select(['a.target_id', 'a.at', 'a.id'])
          .where('a.at', '<', before)
          .limit(PURGE_PART)
          .$asTuple('target_id', 'at', 'id'),
      ),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

type ListedAttempt = Selectable<Tables['kalends_attempt']> & {
  readonly changed_at: number | null;
  readonly data: string | null;
  readonly change: string | null;
  readonly place: number | null;
  readonly retry_at: number | null;
};

/** Returns when the message of an attempt is due again; a message that was put back into line is due at once. */
const dueAtOf = ({ place, retry_at, at }: ListedAttempt) => (place === null ? null : Math.max(retry_at ?? 0, at));

function toAttempt(row: ListedAttempt): AttemptRow {
  return {
    id: row.id,
    messageId: row.message_id,
    eventType: row.event_type as AttemptRow['eventType'],
    at: row.at,
    status: row.status,
    failure: row.failure,
    latencyMs: row.latency_ms,
    excerpt: row.excerpt,
    outcome: row.outcome,
    sent:
      row.changed_at === null
        ? null
        : { timestamp: row.changed_at, data: row.data, change: toChange(row.change), dueAt: dueAtOf(row) },
  };
}
