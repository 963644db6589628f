import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/mirror/content-hash.ts';

test.each([
  [{ b: 1, a: 2, c: 3 }, '{"a":2,"b":1,"c":3}'],
  [{ c: 3, b: { z: 1, y: 2 }, a: 2 }, '{"a":2,"b":{"y":2,"z":1},"c":3}'],
  [{ a: undefined, b: null }, '{"b":null}'],
  [['x', 'y'], '["x","y"]'],
  [['x', 1, undefined, { b: 1, a: 2 }], '["x",1,null,{"a":2,"b":1}]'],
  [[], '[]'],
  ['text', '"text"'],
  [undefined, 'null'],
])('%j is written canonically', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});
