import * as model from 'kalends/model';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { documents } from './documents.ts';

/** Returns all patterns of a document, each once. */
function patternsIn(document: object): readonly string[] {
  const patterns = new Set<string>();
  JSON.stringify(document, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value);
    return value;
  });
  return [...patterns];
}

it.each(Object.entries(documents()))('the patterns of %s mean the same in every language', (_, document) => {
  const patterns = patternsIn(document);
  expect(patterns.length).toBeGreaterThan(5);
  for (const pattern of patterns) {
    // Python has no property escapes, and ECMAScript none without a flag.
    expect(pattern).not.toMatch(/\\[pPkX]/);
    expect(() => [new RegExp(pattern), new RegExp(pattern, 'u')], pattern).not.toThrow();
  }
});

it('expressions of the model have no flags: a pattern of JSON Schema cannot have any', () => {
  const seen: RegExp[] = [];
  const schemas = Object.values<unknown>(model).filter((each) => each instanceof z.ZodType);
  z.toJSONSchema(z.union(schemas), {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema: { _zod } }) {
      const { checks = [] } = _zod.def as { readonly checks?: readonly z.core.$ZodCheck[] };
      for (const { def } of [_zod, ...checks.map((check) => check._zod)]) {
        if ('pattern' in def && def.pattern instanceof RegExp) seen.push(def.pattern);
      }
    },
  });
  expect(seen.length).toBeGreaterThan(10);
  expect(seen.filter(({ flags }) => flags !== '')).toEqual([]);
});

it('control characters are refused in secrets, and no others', () => {
  const isTaken = (password: string) =>
    model.passwordSignIn.safeParse({ kind: 'password', username: 'ada', password }).success;
  const refused = Array.from({ length: 0x3000 }, (_, code) => code).filter(
    (code) => !isTaken(`a${String.fromCharCode(code)}`),
  );
  expect(refused).toEqual(
    Array.from({ length: 0x3000 }, (_, code) => code).filter((code) => /\p{Cc}/u.test(String.fromCharCode(code))),
  );
  expect(isTaken('🦄\u{10ffff}')).toBe(true);
});
