import { createSqlStorage, createTableNames, type SqlDialect, type Tables } from '@kalends/sql';
import type { ItemWrite } from 'kalends/ports';
import { createOutageMemory, systemClock } from 'kalends/runtime';
import { Kysely } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { accountRow, applicationRow, credentialRow, itemWrite, KEY } from '../../conformance/src/storage/world.ts';
import { kyselyDialect } from '../src/kysely-dialect.ts';
import { sqliteDialect } from '../src/sqlite-dialect.ts';

test('a list of a revision that is purged between its two statements is refused, not cut short', async () => {
  let between: (() => Promise<void>) | undefined;
  const plain = sqliteDialect(systemClock, createOutageMemory(systemClock));
  const dialect: SqlDialect = {
    ...plain,
    async execute<Row>(database: Kysely<Tables>, text: string, parameters: unknown[], isFrequent: boolean) {
      const rows = await plain.execute<Row>(database, text, parameters, isFrequent);
      const work = text.includes('as listed') ? between : undefined;
      if (work !== undefined) between = undefined;
      await work?.();
      return rows;
    },
  };
  const names = createTableNames({ prefix: undefined });
  const pragmas = ['foreign_keys = on'];
  const connection = kyselyDialect({ path: ':memory:', pragmas, isExclusive: true, inText: names.inText });
  const storage = createSqlStorage({ database: new Kysely<Tables>({ dialect: connection }), dialect, names });
  await storage.open();
  onTestFinished(() => storage.close());
  const { mirror } = storage;
  await storage.applications.create(applicationRow({ id: KEY.applicationId }));
  await storage.accounts.save(accountRow(), credentialRow());
  await mirror.ensure(KEY, { at: 1, tag: 't0', timeZone: 'UTC' });
  const commit = async (writes: readonly ItemWrite[], at: number) => {
    const { writeCount = 0 } = (await mirror.find(KEY)) ?? {};
    return await mirror.commit(KEY, { writes, at, tag: `t${at}`, basedOn: writeCount });
  };
  const series = (n: number) => [
    itemWrite('s', { n }),
    ...[1, 2, 3].map((slot) => itemWrite(`s${slot}`, { n, slot }, { groupId: 's' })),
  ];
  const { revision } = await commit([itemWrite('a', 1), ...series(1)], 2);
  await commit(series(2), 3);
  const query = { asOf: revision, limit: 2 };
  expect((await mirror.readListed(KEY, query)).map(({ itemId }) => itemId)).toEqual(['a', 's', 's1', 's2', 's3']);
  between = async () => void (await mirror.purge({ before: 100, limit: 1_000 }));
  await expect(mirror.readListed(KEY, query)).rejects.toMatchObject({ code: 'SyncTokenExpired' });
});
