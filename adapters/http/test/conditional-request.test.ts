import { expect, it } from 'vitest';
import { matchesWeakly } from '../src/conditional-request.ts';

it.each([
  // The table of RFC 9110 §8.8.3.2, weak comparison.
  ['W/"1"', 'W/"1"', true],
  ['W/"1"', 'W/"2"', false],
  ['W/"1"', '"1"', true],
  ['"1"', '"1"', true],
  // The examples of §13.1.2.
  ['"xyzzy"', '"xyzzy"', true],
  ['W/"xyzzy", W/"r2d2xxxx", W/"c3piozzzz"', '"r2d2xxxx"', true],
  ['"xyzzy", "r2d2xxxx", "c3piozzzz"', 'W/"c3piozzzz"', true],
  ['"xyzzy", "r2d2xxxx"', '"c3piozzzz"', false],
  ['*', '"anything"', true],
  ['"a,b","c"', '"a,b"', true],
  ['"a,b","c"', '"b"', false],
  ['""', '""', true],
])('%s against %s: %s', (held, etag, matches) => {
  expect(matchesWeakly(held, etag)).toBe(matches);
});

it.each(['abc', '"abc', 'w/"abc"', '"a" "b"', '"a",*', '"\u0001"'])('refuses %j', (held) => {
  expect(() => matchesWeakly(held, '"abc"')).toThrow('If-None-Match: must be quoted etags');
});
