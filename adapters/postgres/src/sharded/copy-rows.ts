import { ACCOUNT_TABLES, type AccountTable } from './account-tables.ts';
import type { Run } from './run.ts';

/** Rows of one statement: a calendar's events may be long. */
const BATCH = 200;

/** An account whose rows are copied. */
export interface CopiedAccount {
  readonly accountId: string;
  readonly applicationId: string;
}

/** Locks the rows of an account that background work may change which asks for no account. */
export async function lockRows(run: Run, account: CopiedAccount): Promise<void> {
  for (const table of ACCOUNT_TABLES) {
    if (table.isShared !== true) continue;
    await run(
      `select 1 as locked from ${table.name} where ${table.rows} order by 1 for update`,
      parametersOf(table, account),
    );
  }
}

/** Copies all rows of an account from one database to another, each by a transaction of its own. @param next runs between batches */
export async function copyRows(from: Run, to: Run, account: CopiedAccount, next: () => Promise<void>): Promise<number> {
  let copied = 0;
  for (const table of ACCOUNT_TABLES) {
    const { name, rows, order } = table;
    await from(
      `declare moved_rows no scroll cursor for select to_json(t)::text as content from ${name} t where ${rows}
        ${order === undefined ? '' : `order by ${order}`}`,
      parametersOf(table, account),
    );
    for (;;) {
      const batch = await from<{ readonly content: string }>(`fetch ${BATCH} from moved_rows`);
      if (batch.length > 0) await to(insertOf(name), [`[${batch.map(({ content }) => content).join(',')}]`]);
      copied += batch.length;
      await next();
      if (batch.length < BATCH) break;
    }
    await from('close moved_rows');
  }
  return copied;
}

function parametersOf({ rows }: AccountTable, { accountId, applicationId }: CopiedAccount): readonly string[] {
  return rows.includes('$2') ? [accountId, applicationId] : [accountId];
}

/** Returns the statement that inserts rows, given as a JSON list. */
function insertOf(name: string): string {
  if (name === 'kalends_reread') {
    return `insert into kalends_reread (account_id, collection_id, item_id, times)
      select account_id, collection_id, item_id, times from json_populate_recordset(null::kalends_reread, $1::json)`;
  }
  if (name === 'kalends_message') {
    // Its place in line is its number.
    return `insert into kalends_message select (jsonb_populate_record(null::kalends_message, numbered.content
        || jsonb_build_object('seq', seq, 'place', case when content -> 'place' = 'null'::jsonb then null else seq end))).*
      from (select content, nextval(pg_get_serial_sequence('kalends_message', 'seq')) as seq
        from jsonb_array_elements($1::jsonb) as given (content)) as numbered`;
  }
  return `insert into ${name} select * from json_populate_recordset(null::${name}, $1::json)`;
}
