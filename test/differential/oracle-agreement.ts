import { compileSeries } from 'kalends/recurrence';
import { expect } from 'vitest';
import { compare } from './cases.ts';
import { calendarCase, extendedTime, type RuleCase, ruleText, subDailyCase } from './rule-shape.ts';
import { expandSlowly } from './slow-expander.ts';

function agree({ shape, dtstart, from, to }: RuleCase): void {
  const series = compileSeries({ dtstart: extendedTime(dtstart), timeZone: null, lines: [`RRULE:${ruleText(shape)}`] });
  const window = { from: from * 1000, to: to * 1000, limit: Number.POSITIVE_INFINITY };
  const found = series.occurrences(window).map((slot) => slot.startMs / 1000);
  const wanted = expandSlowly(shape, dtstart, from, to);
  if (found.join() === wanted.join()) return;
  expect(found.map(extendedTime), `${extendedTime(dtstart)} ${ruleText(shape)}`).toEqual(wanted.map(extendedTime));
}

/** Compares so many calendar rules, and a quarter as many sub-daily ones, in floating time. */
export function agreeWithOracle(cases: number): void {
  compare('calendar rules', calendarCase, cases, agree);
  compare('sub-daily rules', subDailyCase, Math.ceil(cases / 4), agree);
}
