import type { ErasureStore, Trace } from 'kalends/ports';
import type { Kysely } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { fragment, LIST_LIMIT, oneOf, statement } from '../statements/statement.ts';
import { accountTables, type TextColumn, textColumns } from './schema-columns.ts';

/** Stores nothing of its own: erases rows of other stores, and searches all tables. */
export function erasureStore(context: SqlContext): ErasureStore {
  const { database, dialect } = context;
  return {
    async purgeMessages(before) {
      let removed = 0;
      for (;;) {
        const part = await purgePart(context, before);
        removed += part;
        if (part < LIST_LIMIT) return removed;
        await dialect.pause();
      }
    },
    settle: async () => dialect.settle?.(database),
    async find(texts) {
      const columns = textColumns().filter(({ isSealed }) => !isSealed);
      const found: Trace[] = [];
      for (const table of new Set(columns.map((each) => each.table))) {
        const ofTable = columns.filter((each) => each.table === table);
        found.push(...(await countTexts(context, table, ofTable, texts.map(patternOf))));
        await dialect.pause();
      }
      return found;
    },
    async findOwnerless() {
      const sealed = await countRows(
        context,
        textColumns().filter(({ isSealed }) => isSealed),
      );
      const ownerless: Trace[] = [];
      for (const table of accountTables()) {
        const run = statement(dialect, context.reader);
        const [row] = await run<{ readonly rows: number }>`select count(*) as rows from ${fragment(table)} as t
          where account_id is not null and not exists (select 1 from kalends_account a where a.id = t.account_id)`;
        if (row !== undefined && row.rows > 0) ownerless.push({ table, column: 'account_id', rows: row.rows });
      }
      return { ownerless, sealed };
    },
  };
}

interface OldMessage {
  readonly seq: number;
  readonly id: string;
  readonly target_id: string;
}

function purgePart({ database, dialect }: SqlContext, before: number): Promise<number> {
  return dialect.transaction(database, async (transaction) => {
    const run = statement(dialect, transaction);
    // A line that is being sent is left for the next time: an attempt that is noted afterwards would stay.
    const old = await run<OldMessage>`select m.seq, m.id, m.target_id from kalends_message m
      join kalends_delivery d on d.target_id = m.target_id
      where m.created_at < ${before} and m.data is not null and d.leased_until = 0
      order by m.created_at limit ${LIST_LIMIT} ${fragment(dialect.lockFreeOf('d'))}`;
    if (old.length === 0) return 0;
    const ids = old.map(({ id }) => id);
    await run`delete from kalends_attempt where event_type like 'enduseraccount.%' and message_id ${oneOf(ids)}`;
    await run`delete from kalends_message where id ${oneOf(ids)}`;
    await run`update kalends_delivery set due_at = (
        select case when h.retry_at > kalends_delivery.next_send_at then h.retry_at else ceil(kalends_delivery.next_send_at) end
        from kalends_message h where h.target_id = kalends_delivery.target_id and h.place is not null order by h.place limit 1)
      where due_at is not null and target_id ${oneOf([...new Set(old.map((each) => each.target_id))])}`;
    return old.length;
  });
}

/** Returns the pattern of texts that contain this one. */
function patternOf(text: string): string {
  return `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
}

async function countTexts(
  { reader, dialect }: SqlContext,
  table: string,
  columns: readonly TextColumn[],
  patterns: readonly string[],
): Promise<readonly Trace[]> {
  const parameters: string[] = [];
  const matches = (column: string) =>
    patterns
      .map((pattern) => `lower(${column}) like ${dialect.placeholder(parameters.push(pattern))} escape '\\'`)
      .join(' or ');
  const counts = columns.map(({ column }, index) => `count(case when ${matches(column)} then 1 end) as n${index}`);
  const rows = await execute(dialect, reader, `select ${counts.join(', ')} from ${table}`, parameters);
  return columns
    .map(({ column }, index) => ({ table, column, rows: Number(rows[0]?.[`n${index}`] ?? 0) }))
    .filter((trace) => trace.rows > 0);
}

async function countRows({ reader, dialect }: SqlContext, columns: readonly TextColumn[]): Promise<readonly Trace[]> {
  const traces: Trace[] = [];
  for (const { table, column } of columns) {
    const rows = await execute(dialect, reader, `select count(${column}) as n from ${table}`, []);
    traces.push({ table, column, rows: Number(rows[0]?.['n'] ?? 0) });
  }
  return traces;
}

function execute(dialect: SqlContext['dialect'], reader: Kysely<Tables>, text: string, parameters: string[]) {
  return dialect.execute<Readonly<Record<string, unknown>>>(reader, text, parameters, false);
}
