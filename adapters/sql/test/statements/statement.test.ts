import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import type { Tables } from '../../src/schema/schema.ts';
import type { SqlDialect } from '../../src/statements/dialect.ts';
import { batches, LIST_LIMIT, lists, oneOf, statement } from '../../src/statements/statement.ts';

const many = fc.array(fc.nat(), { maxLength: 1_500 });

test('batches and lists keep every item in its place', () => {
  fc.assert(
    fc.property(many, (items) => {
      expect(batches(items).flat()).toEqual(items);
      expect(lists(items).flat()).toEqual(items);
      expect(lists(items).every((list) => list.length > 0 && list.length <= LIST_LIMIT)).toBe(true);
    }),
  );
});

/** Text and parameters for a database with or without arrays. */
async function sent(hasArrays: boolean, values: readonly (string | number)[]) {
  const dialect: Pick<SqlDialect, 'hasArrays' | 'placeholder' | 'execute'> = {
    hasArrays,
    placeholder: (position) => `$${position}`,
    execute: async <Row>(_database: unknown, text: string, parameters: unknown[]) => [{ text, parameters } as Row],
  };
  const run = statement(dialect as SqlDialect, {} as Kysely<Tables>);
  const [row] = await run<{ readonly text: string; readonly parameters: unknown[] }>`where id ${oneOf(values)}`;
  return row;
}

test('all lengths make do with five texts, and with one where there are arrays', async () => {
  const batchSizes = new Set<number>();
  const texts = { lists: new Set<string | undefined>(), arrays: new Set<string | undefined>() };
  for (let length = 1; length <= 600; length += 1) {
    const items = Array.from({ length }, (_, index) => index);
    for (const batch of batches(items)) batchSizes.add(batch.length);
    for (const list of lists(items)) {
      texts.lists.add((await sent(false, list))?.text);
      texts.arrays.add((await sent(true, list))?.text);
    }
  }
  expect([...batchSizes].toSorted((a, b) => a - b)).toEqual([1, 4, 16, 64, 256]);
  expect(texts.lists.size).toBe(5);
  expect([...texts.arrays]).toEqual(['where id = any($1::bigint[])']);
});

test('a list is padded with its last value; an empty one matches nothing', async () => {
  expect(await sent(false, ['a', 'b'])).toEqual({
    text: 'where id in ($1, $2, $3, $4)',
    parameters: ['a', 'b', 'b', 'b'],
  });
  expect(await sent(false, [])).toEqual({ text: 'where id in ($1)', parameters: [null] });
  expect(await sent(true, ['a', 'b'])).toEqual({ text: 'where id = any($1::text[])', parameters: [['a', 'b']] });
  expect(await sent(true, [])).toEqual({ text: 'where id = any($1::text[])', parameters: [[]] });
});
