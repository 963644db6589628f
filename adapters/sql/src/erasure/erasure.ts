import type { ErasureStore, Trace } from 'kalends/ports';
import type { SqlContext } from '../context.ts';
import { fragment, LIST_LIMIT, oneOf, statement } from '../statements/statement.ts';
import { allowedAt, headDueAt } from '../webhooks/due-times.ts';
import { countRows, type Search } from './count-rows.ts';
import { accountColumns, type TableColumn, textColumns } from './schema-columns.ts';

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
      return (await countInTables(context, columns, textSearch(texts))).filter(isTrace);
    },
    async findOwnerless() {
      const columns = textColumns().filter(({ isSealed }) => isSealed);
      return {
        ownerless: (await countInTables(context, accountColumns(), () => OWNERLESS)).filter(isTrace),
        sealed: await countInTables(context, columns, () => PRESENT),
      };
    },
  };
}

const isTrace = ({ rows }: Trace) => rows > 0;

type Condition = Omit<Search, 'column'>;

const PRESENT: Condition = { isFound: (value) => `${value} is not null` };

const OWNERLESS: Condition = {
  // A count, since PostgreSQL would read all accounts for `exists`, anew with each part of a table.
  isFound: (value) => `${value} is not null and (select count(*) from kalends_account a where a.id = ${value}) = 0`,
};

/** Searches columns, all those of a table at once. */
async function countInTables(
  context: SqlContext,
  columns: readonly TableColumn[],
  conditionOf: (column: string) => Condition,
): Promise<readonly Trace[]> {
  const found: Trace[] = [];
  for (const table of new Set(columns.map((each) => each.table))) {
    const ofTable = columns.filter((each) => each.table === table);
    const searches = ofTable.map(({ column }) => ({ column, ...conditionOf(column) }));
    found.push(...(await countRows(context, table, searches)));
  }
  return found;
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
    await run`update kalends_delivery set due_at = ${headDueAt(allowedAt(dialect))}
      where due_at is not null and target_id ${oneOf([...new Set(old.map((each) => each.target_id))])}`;
    return old.length;
  });
}

/** Spellings of letters beyond ASCII, each with the one that stands for all of its letter. `lower` of SQLite knows ASCII alone. */
type Folding = readonly (readonly [spelling: string, folded: string])[];

const IN_URLS = [
  (letter: string) => letter,
  (letter: string) => encodeURIComponent(letter),
  (letter: string) => encodeURIComponent(letter).toLowerCase(),
];

/** Returns how the letters of these texts are folded, those in URLs too. */
function foldingOf(texts: readonly string[]): Folding {
  const inAnyCase = texts.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()]).join('');
  const letters = new Set(inAnyCase.match(/[^\p{ASCII}]/gu));
  return [...letters].flatMap((letter) => {
    const folded = letter.toUpperCase().toLowerCase();
    // A lone surrogate has no case, and no form in URLs.
    return folded === letter ? [] : IN_URLS.map((written) => [written(letter), written(folded)] as const);
  });
}

/** Returns the pattern of folded texts that contain this one. */
function patternOf(text: string, folding: Folding): string {
  const folded = folding.reduce((result, [spelling, letter]) => result.replaceAll(spelling, letter), text);
  return `%${folded.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** Returns the search for texts in a column. */
function textSearch(texts: readonly string[]): (column: string) => Condition {
  const folding = foldingOf(texts);
  const patterns = [...new Set(texts.map((text) => patternOf(text, folding)))];
  return (column) => ({
    value: (place) =>
      `lower(${folding.reduce((text, pair) => `replace(${text}, ${pair.map(place).join(', ')})`, column)})`,
    isFound: (value, place) => patterns.map((pattern) => `${value} like ${place(pattern)} escape '\\'`).join(' or '),
  });
}
