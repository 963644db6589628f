import { ACCOUNT_TABLES, type AccountTable } from './account-tables.ts';
import type { Run } from './run.ts';

/** Rows of one statement. */
const BATCH = 200;
/** A longer row is copied alone: a statement must not get so long that the other database ends an idle connection meanwhile. */
const SHORT_BYTES = 20_000;

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

/** The old database's rows could not be read: to repeat the new one's transaction alone is no use. The cause tells why. */
export class UnreadRowsError extends Error {
  constructor(cause: unknown) {
    super('The rows of the old database could not be read', { cause });
    this.name = 'UnreadRowsError';
  }
}

/**
 * Copies all rows of an account from one database to another, each by a transaction of its own.
 * @param next runs between batches
 * @throws UnreadRowsError for any error of the old database
 */
export async function copyRows(given: Run, to: Run, account: CopiedAccount, next: () => Promise<void>): Promise<void> {
  const from: Run = async <Row>(...statement: Parameters<Run>) => {
    try {
      return await given<Row>(...statement);
    } catch (error) {
      throw new UnreadRowsError(error);
    }
  };
  // An attempt before, whose connection to the new database was lost, may have left its cursor.
  await from('close all');
  for (const table of ACCOUNT_TABLES) {
    const { name, rows, order } = table;
    const insert = async (contents: readonly string[]) => {
      if (contents.length > 0) await to(insertOf(name), [`[${contents.join(',')}]`]);
      await next();
    };
    await from(
      `declare moved_rows no scroll cursor for
        select case when octet_length(content) <= ${SHORT_BYTES} then content end as content, place
        from (select to_json(t)::text as content, ctid::text as place from ${name} t where ${rows}
          ${order === undefined ? '' : `order by ${order}`} offset 0) as found`,
      parametersOf(table, account),
    );
    for (let isLast = false; !isLast; ) {
      const batch = await from<{ readonly content: string | null; readonly place: string }>(
        `fetch ${BATCH} from moved_rows`,
      );
      isLast = batch.length < BATCH;
      let short: string[] = [];
      for (const { content, place } of batch) {
        if (content !== null) {
          short.push(content);
          continue;
        }
        await insert(short);
        short = [];
        // Empty if housekeeping has removed it meanwhile.
        const long = await from<{ readonly content: string }>(
          `select to_json(t)::text as content from ${name} t where ctid = $1::tid`,
          [place],
        );
        await insert(long.map((row) => row.content));
      }
      await insert(short);
    }
    await from('close moved_rows');
  }
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
