import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { connectPostgres } from '../src/postgres.ts';
import { createTestDatabase } from './server/test-database.ts';

/** A storage's parts over one connection, and what became of it. */
async function oneConnection(config: pg.PoolConfig = {}) {
  const test = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: test.url, max: 1, ...config });
  const { database, dialect } = connectPostgres({ pool, statementTimeoutMs: 2_000 });
  await pool.query('create table note (id int)');
  onTestFinished(async () => {
    await pool.end();
    await test.drop();
  });
  const notes = async () => (await pool.query('select count(*)::int as notes from note')).rows[0].notes;
  return { database, dialect, pool, notes };
}

const INSERT = { text: 'insert into note values ($1)', parameters: [1] };

test('of statements that were sent together the first failure is told, not those behind it', async () => {
  const { database, dialect } = await oneConnection({ pipeline: true } as pg.PoolConfig);
  const failed = dialect.transaction(database, async (transaction) => {
    const run = (text: string) => dialect.execute(transaction, text, [], false);
    await dialect.together([
      async () => {
        await run('select 1');
        await run('select 2');
      },
      () => run('select 1 / 0'),
    ]);
  });
  await expect(failed).rejects.toMatchObject({ code: '22012' });
});

test.each([true, false])('a batch with a statement that fails changes nothing, pipelined: %s', async (pipeline) => {
  const { database, dialect, notes } = await oneConnection({ pipeline } as pg.PoolConfig);
  for (const [bad, code] of [
    [{ text: 'select 1 / 0', parameters: [] }, { code: '22012' }],
    // It cannot even be sent.
    [{ text: 'select $1::int', parameters: [undefined] }, { name: 'TypeError' }],
  ] as const) {
    await expect(dialect.batch(database, () => [INSERT, bad, INSERT])).rejects.toMatchObject(code);
    expect(await notes()).toBe(0);
  }
  // The connection has no open transaction: this one is committed.
  await dialect.batch(database, () => [INSERT, INSERT]);
  expect(await notes()).toBe(2);
});

test('a batch writes its statements anew each time that it is tried', async () => {
  const { database, dialect, pool, notes } = await oneConnection();
  let tries = 0;
  const write = () => {
    tries += 1;
    const dies = { text: 'select pg_terminate_backend(pg_backend_pid())', parameters: [] };
    return tries === 1 ? [INSERT, dies] : [INSERT];
  };
  pool.on('error', () => undefined);
  await dialect.batch(database, write);
  expect([tries, await notes()]).toEqual([2, 1]);
});

test.each([
  true,
  false,
])('a transaction that is finished is committed whole or not at all, pipelined: %s', async (pipeline) => {
  const { database, dialect, pool, notes } = await oneConnection({ pipeline } as pg.PoolConfig);
  await pool.query('create table kalends_commit_mark (id text primary key, transactions bigint, at bigint)');
  const finish = (statements: readonly (typeof INSERT)[], behind: string[] = []) =>
    dialect.transaction(
      database,
      async (transaction) => {
        await dialect.execute(transaction, INSERT.text, INSERT.parameters, false);
        const answers = await dialect.finish(transaction, statements);
        for (const text of behind) await dialect.execute(transaction, text, [], false);
        return answers;
      },
      { finishes: true },
    );
  const bad = { text: 'select 1 / $1::int', parameters: [0] };
  await expect(finish([INSERT, bad, INSERT])).rejects.toMatchObject({ code: '22012' });
  expect(await notes()).toBe(0);
  const count = { text: 'select count(*)::int as notes from note where id = $1', parameters: [1] };
  expect(await finish([INSERT, count])).toEqual([[], [{ notes: 2 }]]);
  expect(await notes()).toBe(2);
  // A statement behind the commit would be a transaction of its own.
  await expect(finish([], ['insert into note values (1)'])).rejects.toThrow('has been finished');
  expect(await notes()).toBe(3);
});

test('a transaction whose mark the server refuses fails with its cause, and one whose mark lost a race runs again', async () => {
  const { database, dialect, pool, notes } = await oneConnection({ pipeline: true } as pg.PoolConfig);
  await pool.query(`create table kalends_commit_mark (id text primary key, transactions bigint, at bigint);
    create function fail() returns trigger language plpgsql as $$ begin
      if nextval('attempts') <= tg_argv[1]::int then raise exception 'on purpose' using errcode = tg_argv[0]; end if;
      return new;
    end $$; create sequence attempts`);
  const write = () =>
    dialect.transaction(database, async (transaction) => {
      await dialect.execute(transaction, INSERT.text, INSERT.parameters, false);
      await dialect.execute(transaction, INSERT.text, INSERT.parameters, false);
    });
  const fail = (code: string, times: number) =>
    pool.query(`create or replace trigger fail before insert on kalends_commit_mark
      for each row execute function fail('${code}', '${times}'); alter sequence attempts restart`);
  await fail('P0001', 1);
  await expect(write()).rejects.toMatchObject({ code: 'P0001' });
  await fail('40001', 2);
  await write();
  expect(await notes()).toBe(2);
});

test('a transaction reads what others have committed, however the database begins them', async () => {
  const { database, dialect } = await oneConnection({
    options: '-c default_transaction_isolation=serializable',
  });
  const isolation = { text: `select current_setting('transaction_isolation') as level`, parameters: [] };
  const [row] = await dialect.transaction(database, (transaction) =>
    dialect.execute(transaction, isolation.text, [], false),
  );
  expect(row).toEqual({ level: 'read committed' });
  const [, answers] = await dialect.batch(database, () => [INSERT, isolation]);
  expect(answers).toEqual([{ level: 'read committed' }]);
});
