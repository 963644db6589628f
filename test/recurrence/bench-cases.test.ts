import { expect, test } from 'vitest';
import { type ParseOptions, parseRecurrence } from '../../adapters/recurrence/src/index.ts';
import { CLOCK_CHANGES, HARD_RULES, INVALID_RULES } from '../bench/recurrence-cases.js';

/*
 * The benchmark counts the right answers of each library. Here the same cases are asked of ours, so that the published table has no
 * wrong one.
 */

interface Case {
  readonly name: string;
  readonly zone: string;
  readonly dtstart: string;
  readonly rule: string;
  readonly from: number;
  readonly to: number;
  readonly wanted?: readonly string[];
  readonly leftOut?: readonly string[];
}

const ask = ({ dtstart, zone, rule }: Case, options: ParseOptions = {}) =>
  parseRecurrence(`DTSTART;TZID=${zone}:${dtstart.replaceAll(/[-:]/g, '')}\nRRULE:${rule}`, options).as('iso');

test.each<Case>([...CLOCK_CHANGES, ...HARD_RULES])('$name', (each) => {
  expect(ask(each).between(each.from, each.to)).toEqual(each.wanted);
  const skipping = ask(each, { gap: 'skip' });
  if (each.leftOut !== undefined) expect(skipping.between(each.from, each.to)).toEqual(each.leftOut);
});

test.each<Case>(INVALID_RULES)('$name is refused', (each) => {
  expect(() => ask(each)).toThrow(/^[A-Z]+: /);
});
