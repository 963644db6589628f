import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareText } from '../../src/statements/compare-text.ts';

const wellFormed = fc.string({ unit: 'binary' });

test('texts are ordered as their UTF-8 bytes are', () => {
  fc.assert(
    fc.property(wellFormed, wellFormed, wellFormed, (start, a, b) => {
      const bytes = Buffer.compare(Buffer.from(start + a), Buffer.from(start + b));
      expect(Math.sign(compareText(start + a, start + b))).toBe(bytes);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['a text comes after its beginning', 'ab', 'a'],
  ['a flag comes after a ligature, though its first unit is smaller', '\u{1f1e9}\u{1f1ea}', '\ufb00'],
  ['astral characters compare by their low halves too', '\u{1f5d4}', '\u{1f5d3}'],
])('%s', (_, later, earlier) => {
  expect(compareText(later, earlier)).toBeGreaterThan(0);
  expect(compareText(earlier, later)).toBeLessThan(0);
  expect(compareText(later, later)).toBe(0);
});
