import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastIndex } from '../../src/events/last-index.ts';

test('finds what lastIndexOf finds', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 });
  const property = fc.property(few, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 }), (text, wanted) => {
    expect(lastIndex(text, wanted)).toBe(text.lastIndexOf(wanted));
  });
  fc.assert(property, { numRuns: 5_000 });
  expect(lastIndex('<a href="https://x.example/j">', 'https://x.example/j')).toBe(9);
});
