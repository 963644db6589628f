import { MAX_WAITING_RECORDS, type MessageRow, type ToldChange } from 'kalends/ports';
import type { Selectable, Transaction } from 'kysely';
import type { Tables } from '../schema/schema.ts';
import { noteChange } from '../statements/commit-feed.ts';
import type { SqlDialect } from '../statements/dialect.ts';
import { type ColumnType, rowSources } from '../statements/row-source.ts';
import { clockOf, fragment, type Piece, piece, type SqlValue, statement } from '../statements/statement.ts';
import { allowedFromNow } from './due-times.ts';

export interface NewMessage {
  readonly applicationId: string;
  readonly targetId: string;
  readonly eventType: MessageRow['eventType'];
  readonly timestamp: number;
  readonly data?: string;
  /** A gap that is told late, which one message tells as well as several. @default false */
  readonly late?: boolean;
  /** Called only when a message is made. */
  readonly messageId: () => string;
}

/** Fields that all messages of a call have in common. */
type Addressed = Omit<NewMessage, 'eventType' | 'data' | 'late'>;

/** A message with a record. */
export interface NewRecord {
  readonly eventType: MessageRow['eventType'];
  readonly change: ToldChange;
}

/** The sending state of an enabled target, which is locked. */
type Line = Pick<Selectable<Tables['kalends_delivery']>, 'due_at'>;

/** Enqueues a message, or merges it into one that waits unattempted; nothing when the target is disabled or gone. */
export async function enqueueMessage(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  input: NewMessage,
): Promise<void> {
  const run = statement(dialect, transaction);
  for (const enqueuing of await planMessage(transaction, dialect, input)) await run`${enqueuing}`;
}

/** Locks the target's line and returns the statements that enqueue a message as `enqueueMessage` does. */
export async function planMessage(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  input: NewMessage,
): Promise<readonly Piece[]> {
  let line: Line | undefined;
  let alike: Pick<Selectable<Tables['kalends_message']>, 'seq' | 'changed_at'> | undefined;
  await dialect.together([
    async () => {
      line = await lockLine(transaction, dialect, input);
    },
    async () => {
      alike = await findAlike(transaction, dialect, input);
    },
  ]);
  if (line === undefined) return [];
  if (alike === undefined) {
    const message = { eventType: input.eventType, data: input.data ?? null, change: null };
    return insertingMessages(transaction, dialect, line, input, [message]);
  }
  if (alike.changed_at >= input.timestamp) return [];
  return [piece`update kalends_message set changed_at = ${input.timestamp} where seq = ${alike.seq}`];
}

/**
 * Locks the target's line and returns the statements that enqueue messages with records as `Commit.notify` says; without records, one
 * that says that changes are not known.
 */
export async function planRecords(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  input: Addressed,
  records: readonly NewRecord[] | undefined,
): Promise<readonly Piece[]> {
  const run = statement(dialect, transaction);
  const waiting = piece`target_id = ${input.targetId} and place is not null and state = 'unattempted'`;
  let line: Line | undefined;
  let found: { readonly messages: number; readonly unknown: number | null } | undefined;
  await dialect.together([
    async () => {
      line = await lockLine(transaction, dialect, input);
    },
    async () => {
      [found] = await run<NonNullable<typeof found>>`
        select count(*) as messages, max(case when event_type = 'calendar.event.unknown' then 1 else 0 end) as unknown
        from (select event_type from kalends_message where ${waiting} order by place desc limit ${MAX_WAITING_RECORDS}) as waiting`;
    },
  ]);
  // The receiver of one that says that changes are not known reads the changes until it gets it, these included.
  if (line === undefined || found?.unknown === 1) return [];
  if (records !== undefined && (found?.messages ?? 0) + records.length <= MAX_WAITING_RECORDS) {
    const messages = records.map((record) => ({ ...record, data: null }));
    return insertingMessages(transaction, dialect, line, input, messages);
  }
  const unknown = { eventType: 'calendar.event.unknown', data: null, change: null } as const;
  return [
    piece`delete from kalends_message where ${waiting}`,
    ...insertingMessages(transaction, dialect, line, input, [unknown]),
  ];
}

async function lockLine(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  { applicationId, targetId }: Addressed,
): Promise<Line | undefined> {
  const run = statement(dialect, transaction);
  const [line] = await run<Line>`
    select d.due_at from kalends_delivery d join kalends_target t on t.id = d.target_id
    where t.application_id = ${applicationId} and t.id = ${targetId} and t.disabled_at is null ${fragment(dialect.forUpdate)}`;
  return line;
}

/** Types of a new message's number, id, event type, data and change. */
const MESSAGE_TYPES: readonly ColumnType[] = ['bigint', 'text', 'text', 'text', 'text'];

/** Puts messages at the end of a locked line, in their order. */
function insertingMessages(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  line: Line,
  { applicationId, targetId, timestamp, messageId }: Addressed,
  messages: readonly (Pick<MessageRow, 'eventType' | 'data'> & { readonly change: ToldChange | null })[],
): readonly Piece[] {
  const now = clockOf(dialect);
  const made = messages.map((message) => ({ ...message, id: messageId() }));
  const rows = made.map(({ id, eventType, data, change }, index): SqlValue[] => {
    return [index, id, eventType, data, change === null ? null : JSON.stringify(change)];
  });
  for (const { id, eventType } of made) {
    noteChange(transaction, { kind: 'message', message: { id, applicationId, targetId, eventType } });
  }
  const inserting = rowSources(dialect, rows, MESSAGE_TYPES).map(
    (
      source,
    ) => piece`insert into kalends_message (id, application_id, target_id, event_type, changed_at, data, change, attempts, state,
        place, retry_at, created_at)
      select column2, ${applicationId}, ${targetId}, column3, ${timestamp}, column4, column5, 0, 'unattempted', 0, 0, ${now}
      from ${source} order by column1`,
  );
  const placing = piece`update kalends_message set place = seq where target_id = ${targetId} and place = 0`;
  if (line.due_at !== null) return [...inserting, placing];
  dialect.announce(transaction, 'outbox');
  const makingDue = piece`update kalends_delivery set due_at = ${allowedFromNow(dialect)} where target_id = ${targetId}`;
  return [...inserting, placing, makingDue];
}

/** Finds the message that one like it is merged into. */
async function findAlike(
  transaction: Transaction<Tables>,
  dialect: SqlDialect,
  { targetId, eventType, late = false }: NewMessage,
) {
  if (eventType !== 'calendar.event.changed' && !late) return undefined;
  const run = statement(dialect, transaction);
  const [alike] = await run<Pick<Selectable<Tables['kalends_message']>, 'seq' | 'changed_at'>>`
    select seq, changed_at from kalends_message
    where target_id = ${targetId} and place is not null and state = 'unattempted' and event_type = ${eventType}
    order by place desc limit 1`;
  return alike;
}

export function toMessage(row: Selectable<Tables['kalends_message']>): MessageRow {
  return {
    id: row.id,
    applicationId: row.application_id,
    targetId: row.target_id,
    eventType: row.event_type as MessageRow['eventType'],
    timestamp: row.changed_at,
    data: row.data,
    change: toChange(row.change),
    attempts: row.attempts,
    createdAt: row.created_at,
  };
}

export function toChange(text: string | null): ToldChange | null {
  return text === null ? null : JSON.parse(text);
}
