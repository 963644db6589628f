import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batches, inList, LIST_LIMIT, lists } from '../src/statement.ts';

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

test('all lengths make do with five texts', () => {
  const batchSizes = new Set<number>();
  const listSizes = new Set<number>();
  for (let length = 1; length <= 600; length += 1) {
    const items = Array.from({ length }, (_, index) => index);
    for (const batch of batches(items)) batchSizes.add(batch.length);
    for (const list of lists(items)) listSizes.add(inList(list).rows.length);
  }
  expect([...batchSizes].toSorted((a, b) => a - b)).toEqual([1, 4, 16, 64, 256]);
  expect([...listSizes].toSorted((a, b) => a - b)).toEqual([1, 4, 16, 64, 256]);
});

test('a list is padded with its last value; an empty one matches nothing', () => {
  expect(inList(['a', 'b']).rows).toEqual([['a'], ['b'], ['b'], ['b']]);
  expect(inList([]).rows).toEqual([[null]]);
});
