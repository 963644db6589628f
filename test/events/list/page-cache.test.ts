import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPageCache } from '../../../src/events/list/page-cache.ts';

const page = (bytes: number, next: unknown = undefined) => ({ json: new Uint8Array(bytes), next });

test('keeps a page from its second offer on', () => {
  const cache = createPageCache(100);
  cache.offer('a', page(10));
  expect(cache.find('a')).toBeUndefined();
  const again = page(10);
  cache.offer('a', again);
  expect(cache.find('a')).toBe(again);
  expect(cache.size).toBe(10);
});

test('never keeps more than its bytes, and drops what was used least lately', () => {
  const offers = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.integer({ min: 1, max: 60 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(offers, (sequence) => {
      const cache = createPageCache<{ readonly json: Uint8Array }>(100);
      // The slow one: names from the least to the most lately used, with their bytes.
      let kept: [string, number][] = [];
      const offered = new Set<string>();
      for (const [name, bytes] of sequence) {
        const found = kept.find(([key]) => key === name);
        expect(cache.find(name)?.json.byteLength).toBe(found?.[1]);
        if (found !== undefined) {
          kept = [...kept.filter((entry) => entry !== found), found];
          continue;
        }
        cache.offer(name, page(bytes));
        if (!offered.delete(name)) {
          offered.add(name);
          continue;
        }
        kept.push([name, bytes]);
        while (kept.reduce((sum, [, size]) => sum + size, 0) > 100) kept.shift();
        expect(cache.size).toBe(kept.reduce((sum, [, size]) => sum + size, 0));
      }
    }),
  );
});

test('does not keep what is larger than all its room', () => {
  const cache = createPageCache(100);
  for (let round = 0; round < 3; round++) cache.offer('a', page(101));
  expect(cache.find('a')).toBeUndefined();
  expect(cache.size).toBe(0);
});

test('puts a page that is kept in the place of what it was', () => {
  const cache = createPageCache(100);
  for (let round = 0; round < 2; round++) cache.offer('a', page(10));
  const longer = page(30);
  cache.offer('a', longer);
  expect(cache.find('a')).toBe(longer);
  expect(cache.size).toBe(30);
});
