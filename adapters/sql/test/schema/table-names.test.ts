import { expect, test } from 'vitest';
import { createTableNames } from '../../src/schema/table-names.ts';

test('names are left alone by default', () => {
  const text = 'select 1 from kalends_account a join "kalends_lease" l on l.name = a.id';
  expect(createTableNames().inText(text)).toBe(text);
});

test('a prefix takes the place of the default one, in names of any kind and in texts', () => {
  const { inText, ownName } = createTableNames({ prefix: 'cal_' });
  expect(ownName('kalends_account')).toBe('cal_account');
  expect(inText('create unique index kalends_account_id on kalends_account (id)')).toBe(
    'create unique index cal_account_id on cal_account (id)',
  );
  expect(inText(`delete from sqlite_stat1 where idx = 'sqlite_autoindex_kalends_collection_1'`)).toBe(
    `delete from sqlite_stat1 where idx = 'sqlite_autoindex_cal_collection_1'`,
  );
});

test('a schema stands before every name but that of an index that is created', () => {
  const { inText } = createTableNames({ schema: 'Host' });
  expect(inText('select "kalends_account"."id" from "kalends_account"')).toBe(
    'select "Host"."kalends_account"."id" from "Host"."kalends_account"',
  );
  expect(inText('create index kalends_account_id on kalends_account (id)')).toBe(
    'create index "kalends_account_id" on "Host"."kalends_account" (id)',
  );
  expect(inText('drop index kalends_account_id')).toBe('drop index "Host"."kalends_account_id"');
});

test('a schema may have the name of a table', () => {
  const { inText } = createTableNames({ schema: 'kalends_account', prefix: 'k_' });
  expect(inText('create schema "kalends_account"')).toBe('create schema "kalends_account"');
  expect(inText('select 1 from kalends_account')).toBe('select 1 from "kalends_account"."k_account"');
});

test('a schema may have the default prefix within its name', () => {
  const { inText } = createTableNames({ schema: 'my_kalends_app' });
  expect(inText('create schema "my_kalends_app"')).toBe('create schema "my_kalends_app"');
  expect(inText('insert into kalends_fact (name) values (1)')).toBe(
    'insert into "my_kalends_app"."kalends_fact" (name) values (1)',
  );
});

test.each(['', '1_', 'Kalends_', 'a-b', `a${'_'.repeat(30)}`])('prefix %j is refused', (prefix) => {
  expect(() => createTableNames({ prefix })).toThrow(/^prefix: must be 1 to 30 lower-case letters/);
});

test.each(['', '1', 'a"b', 'a.b', 'a'.repeat(64)])('schema %j is refused', (schema) => {
  expect(() => createTableNames({ schema })).toThrow(/^schema: must be 1 to 63 letters/);
});
