import { expect, test } from 'vitest';
import { mergeReaders } from '../../src/recurrence/occurrence-readers.ts';

test('a page of hundreds of rules works out a few slots of each', () => {
  let made = 0;
  const readers = Array.from({ length: 500 }, (_, rule) => {
    const read: Parameters<typeof mergeReaders>[0][number] = (fromMs, toMs, max, out) => {
      for (let at = Math.max(0, fromMs); at < toMs && out.length < max; at++) {
        if (at % 500 !== rule) continue;
        made++;
        out.push({ startMs: at, wallMs: at });
      }
    };
    return read;
  });
  const page: { startMs: number; wallMs: number }[] = [];
  mergeReaders(readers)(0, 1_000_000, 16, page);
  expect(page.map(({ startMs }) => startMs)).toEqual(Array.from({ length: 16 }, (_, at) => at));
  expect(made).toBeLessThan(500 + 3 * 16);
});
