import type { SqlContext } from './context.ts';
import { statement } from './statements/statement.ts';

/** Facts about the whole database. */
type FactName = 'zone-data' | 'secret-id';

/** Returns a fact; undefined while there is none. */
export async function readFact({ dialect, reader }: SqlContext, name: FactName): Promise<string | undefined> {
  const run = statement(dialect, reader);
  const [fact] = await run<{ readonly value: string }>`select value from kalends_fact where name = ${name}`;
  return fact?.value;
}

/** Stores a fact; with `ifNone` only while there is none. */
export async function writeFact(
  { database, dialect }: SqlContext,
  name: FactName,
  value: string,
  { ifNone = false }: { readonly ifNone?: boolean } = {},
): Promise<void> {
  await dialect.transaction(database, async (transaction) => {
    const run = statement(dialect, transaction);
    if (ifNone) {
      await run`insert into kalends_fact (name, value) values (${name}, ${value}) on conflict (name) do nothing`;
    } else {
      await run`insert into kalends_fact (name, value) values (${name}, ${value})
        on conflict (name) do update set value = excluded.value`;
    }
  });
}
