import { storageConformance } from '@kalends/conformance';
import { createSqlStorage, type Tables } from '@kalends/sql';
import { DatabaseSync } from '@photostructure/sqlite';
import { createOutageMemory } from 'kalends/runtime';
import { CompiledQuery, Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { kyselyDialect } from '../src/kysely-dialect.ts';
import { sqliteDialect } from '../src/sqlite-dialect.ts';
import { withSteadyPlan } from '../src/steady-plan.ts';

const plans = new Map<string, readonly string[]>();
/** Numbers of parameters of all statements, by their texts. */
const statements = new Map<string, number>();
let schema: readonly string[] = [];
const LARGE_TABLES =
  /\bkalends_(account|credential|target|collection|channel|item_version|item_body|revision_log|seen_item|reread|intent|held_group|hold|hold_participant|schedule|message|attempt|delivery)\b/;
// `c` is the collections in the purge, which looks at each of them and at each entry of the re-read lists, which are short;
// the others name subqueries. Claims and the next renewal read the first entry of an index.
const WALKS = [
  /^SCAN (?!c(?: USING INDEX kalends_collection_id)?$|kalends_reread$|(?:waiting|met|first_ones|listed|lane|counted|taken|asked|found|class)$|kalends_(?:delivery USING COVERING INDEX kalends_delivery_lane|channel USING COVERING INDEX kalends_channel_renewal)$|\(subquery|\d+-ROW VALUES|\d+ CONSTANT ROWS|CONSTANT)/,
  /(item_version| v | next ).*\(account_id=\?( AND collection_id=\?( AND from_revision<\?)?)?\)$/,
];

const LOOKS_AT_ALL = [
  'delete from kalends_item_version where account_id = ? and collection_id = ?',
  // Once at the start of an engine, for channels to an earlier address.
  'update "kalends_channel" set "renew_at" = ? where "provider_type" = ? and "address" <> ?',
];

// The search of everything for what a deleted account left, which a person starts: a part at a time, in the order of the key.
const SEARCH = /^select (?:\w+, )+case when v0 .* limit 256\) as part order by [\w, ]+$/s;

/** Every statement that the conformance suite makes the storage execute, explained at once on its own database. */
storageConformance({
  test,
  createStorage: async (clock) => {
    const texts = new Map<string, number>();
    const database = new Kysely<Tables>({
      dialect: kyselyDialect({ path: ':memory:', pragmas: ['foreign_keys = on'], isExclusive: true }),
      log: ({ query }) => {
        texts.set(query.sql, query.parameters.length);
      },
    });
    const storage = createSqlStorage({ database, dialect: sqliteDialect(clock, createOutageMemory(clock)) });
    return {
      ...storage,
      // Migrations move whole tables, once.
      open: async () => {
        await storage.open();
        texts.clear();
      },
      close: async () => {
        const tables = CompiledQuery.raw("select sql from sqlite_schema where sql > '' and name not like 'sqlite_%'");
        schema = (await database.executeQuery<{ readonly sql: string }>(tables)).rows.map(({ sql }) => sql);
        for (const [text, parameters] of texts) {
          if (!/^\s*(?:select|update|delete|insert|with)/.test(text)) continue;
          statements.set(text, parameters);
          if (plans.has(text) || !LARGE_TABLES.test(text)) continue;
          const explain = CompiledQuery.raw(`explain query plan ${text}`, Array(parameters).fill(null));
          const { rows } = await database.executeQuery<{ readonly detail: string }>(explain);
          plans.set(
            text,
            rows.map(({ detail }) => detail),
          );
        }
        await storage.close();
      },
    };
  },
});

test('no statement of the suite walks a table that grows, or a whole collection for a few of its items', () => {
  expect(plans.size).toBeGreaterThan(50);
  const walks = [...plans].flatMap(([text, details]) =>
    LOOKS_AT_ALL.some((start) => text.startsWith(start)) || (SEARCH.test(text) && readsInOrder(details))
      ? []
      : details
          .filter((detail) => WALKS.some((walk) => walk.test(detail)))
          .map((detail) => `${detail}: ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}`),
  );
  expect(walks).toEqual([]);
});

/** Whether at most the rows of a part are sorted, and not the table. */
function readsInOrder(details: readonly string[]): boolean {
  return details.filter((detail) => detail.startsWith('USE TEMP B-TREE')).length <= 1;
}

test('no statement of the suite is prepared anew each time it runs', () => {
  expect(statements.size).toBeGreaterThan(200);
  const database = new DatabaseSync(':memory:');
  for (const text of schema) database.exec(text);
  let askedFor = '';
  const preparedAnew = new Set<string>();
  // SQLite asks whenever it prepares a statement, by itself too.
  database.setAuthorizer(() => {
    preparedAnew.add(askedFor.replaceAll(/\s+/g, ' ').slice(0, 300));
    return 0;
  });
  for (const [text, parameters] of statements) {
    askedFor = '';
    const statement = database.prepare(`explain ${withSteadyPlan(text)}`);
    askedFor = text;
    for (const value of [1, 2]) statement.all(...Array(parameters).fill(value));
  }
  preparedAnew.delete('');
  database.close();
  expect([...preparedAnew]).toEqual([]);
});
