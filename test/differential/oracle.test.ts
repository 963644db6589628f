import { compileSeries } from 'kalends/recurrence';
import { expect, test } from 'vitest';
import { CASES, compare } from './cases.ts';
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

test('calendar rules agree with an expander that tests every day', () => {
  compare('calendar rules', calendarCase, CASES, agree);
});

test('sub-daily rules agree with an expander that tests every second', () => {
  compare('sub-daily rules', subDailyCase, Math.ceil(CASES / 4), agree);
});
