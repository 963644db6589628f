import type { SqlDialect, Tables } from '@kalends/sql';
import fc from 'fast-check';
import { createOutageMemory, systemClock } from 'kalends/runtime';
import { CompiledQuery, Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { joinedBatches } from '../src/joined-batches.ts';
import { kyselyDialect } from '../src/kysely-dialect.ts';
import { sqliteDialect } from '../src/sqlite-dialect.ts';

/** Inserts of one batch: a key that is taken fails it. */
type Keys = readonly number[];

const insertsOf = (keys: Keys) => () =>
  keys.map((key) => ({ text: 'insert into entry (id) values (?) returning id', parameters: [key] }));

async function openDatabase() {
  const dialect = kyselyDialect({ path: ':memory:', pragmas: [], isExclusive: true });
  const database = new Kysely<Tables>({ dialect });
  await database.executeQuery(CompiledQuery.raw('create table entry (id integer primary key, seq integer)'));
  return database;
}

async function entriesOf(database: Kysely<Tables>) {
  const { rows } = await database.executeQuery(CompiledQuery.raw('select id from entry order by id'));
  await database.destroy();
  return rows;
}

const outcomeOf = (settled: PromiseSettledResult<unknown>) =>
  settled.status === 'fulfilled' ? settled.value : String(settled.reason);

/** The oracle: each batch in a transaction of its own, one after the other. */
async function oneByOne(batches: readonly Keys[]) {
  const database = await openDatabase();
  const outcomes: unknown[] = [];
  for (const keys of batches) {
    const run = database.transaction().execute(async (transaction) => {
      const answers: unknown[] = [];
      for (const { text, parameters } of insertsOf(keys)()) {
        answers.push((await transaction.executeQuery(CompiledQuery.raw(text, parameters))).rows);
      }
      return answers;
    });
    const [settled] = await Promise.allSettled([run]);
    outcomes.push(outcomeOf(settled));
  }
  return { outcomes, entries: await entriesOf(database) };
}

test('batches that wait together end as those that run one by one', async () => {
  const keys = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(keys, { maxLength: 12 }), async (batches) => {
      const database = await openDatabase();
      const dialect = sqliteDialect(systemClock, createOutageMemory(systemClock));
      const settled = await Promise.allSettled(batches.map((each) => dialect.batch(database, insertsOf(each))));
      const joined = { outcomes: settled.map(outcomeOf), entries: await entriesOf(database) };
      expect(joined).toEqual(await oneByOne(batches));
    }),
    { numRuns: 200 },
  );
});

interface Recorded {
  /** Batches of each transaction. */
  readonly taken: readonly number[];
  readonly batch: SqlDialect['batch'];
}

/** Batches without a database, their number in each transaction recorded; `begin` may throw. */
function recordedBatches(begin = () => {}): Recorded {
  const taken: number[] = [];
  const batch = joinedBatches(async (_, take) => {
    begin();
    const writes = take();
    taken.push(writes.length);
    return writes.map((write) => [write()]);
  });
  return { taken, batch };
}

const DATABASE = {} as Kysely<Tables>;

test('batches of one turn share a transaction, up to a limit', async () => {
  const { taken, batch } = recordedBatches();
  const asked = Array.from({ length: 100 }, () => batch(DATABASE, () => []));
  const alone = batch({} as Kysely<Tables>, () => []);
  await Promise.all([...asked, alone]);
  expect(taken.toSorted((a, b) => a - b)).toEqual([1, 36, 64]);
  await batch(DATABASE, () => []);
  expect(taken).toHaveLength(4);
});

test('one that cannot be written costs the others nothing', async () => {
  const { batch } = recordedBatches();
  const write = () => {
    throw new Error('no statement');
  };
  const ends = await Promise.allSettled([batch(DATABASE, () => []), batch(DATABASE, write), batch(DATABASE, () => [])]);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('all that wait learn that no transaction can begin, and later ones try again', async () => {
  let isAway = true;
  const { taken, batch } = recordedBatches(() => {
    if (isAway) throw new Error('busy');
  });
  const ends = await Promise.allSettled([batch(DATABASE, () => []), batch(DATABASE, () => [])]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isAway = false;
  await batch(DATABASE, () => []);
  expect(taken).toEqual([1]);
});
