import { describeRecurrence } from 'kalends/describe';
import { compileSeries } from 'kalends/recurrence';
import { expect, test } from 'vitest';
import { type Dice, dice } from '../simulation/dice.ts';
import { sizeOf } from '../size-of.ts';

/*
 * Words that leave a part of a rule out are the same for rules that mean different slots. Rules are drawn from few values, so
 * that many share their words; the slots of those that do must be the same.
 */
const RULES = sizeOf('rules', { short: 4_000, long: 60_000 });
/** No weekday, month or clock time of it is in the lists below, so that a default differs from each listed value. */
const DTSTART = '2026-04-09T07:12:25';
const YEARS: Readonly<Record<string, number>> = {
  YEARLY: 12,
  MONTHLY: 6,
  WEEKLY: 3,
  DAILY: 2,
  HOURLY: 0.2,
  MINUTELY: 0.05,
  SECONDLY: 0.005,
};

const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'] as const;

function drawRule(source: Dice): string {
  const freq = source.pick(FREQUENCIES);
  const isCoarse = freq === 'YEARLY' || freq === 'MONTHLY';
  const some = (name: string, share: number, values: readonly (string | number)[]) => {
    if (!source.chance(share)) return [];
    const chosen = values.filter(() => source.chance(0.4));
    return [`${name}=${(chosen.length > 0 ? chosen : [source.pick(values)]).join(',')}`];
  };
  const weeks = freq === 'YEARLY' ? some('BYWEEKNO', 0.15, [1, 20, -1]) : [];
  const days = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
  const named = source.pick([days, days.slice(0, 5), days.slice(5), ['MO', 'SU']]);
  const plain = source.chance(0.3) ? [`BYDAY=${named.join(',')}`] : some('BYDAY', 0.4, ['MO', 'WE']);
  const numbered = some('BYDAY', 0.8, ['1MO', '-1MO', '2WE', 'FR']);
  const parts = [
    ...some('INTERVAL', 0.3, [2]).map(() => 'INTERVAL=2'),
    ...some('WKST', 0.2, ['SU']),
    ...some('BYMONTH', 0.2, [2, 6]),
    ...weeks,
    ...(freq === 'YEARLY' ? some('BYYEARDAY', 0.15, [1, 100, -1]) : []),
    ...(freq === 'WEEKLY' ? [] : some('BYMONTHDAY', 0.25, [1, 15, -1])),
    ...(isCoarse && weeks.length === 0 && source.chance(0.3) ? numbered : plain),
    ...some('BYHOUR', 0.15, [9, 10, 11]),
    ...some('BYMINUTE', 0.15, [0, 30]),
    ...some('BYSECOND', 0.1, [0, 45]),
  ];
  const ends = source.pick([[], [], ['COUNT=1'], ['COUNT=2'], ['COUNT=5'], ['UNTIL=20270701T000000Z']]);
  const hasBy = parts.some((part) => part.startsWith('BY'));
  return [`FREQ=${freq}`, ...parts, ...(hasBy ? some('BYSETPOS', 0.25, [1, -1]) : []), ...ends].join(';');
}

function yearsOf(rule: string): number {
  return YEARS[/^FREQ=(\w+)/.exec(rule)?.[1] ?? ''] ?? 1;
}

function slotsOf(rule: string, years: number): string {
  const series = compileSeries({ dtstart: DTSTART, timeZone: 'UTC', lines: [`RRULE:${rule}`] });
  const from = Date.UTC(2026, 3, 9);
  const starts: number[] = [];
  for (const { startMs } of series.occurrences({ from, to: from + years * 366 * 86_400_000 })) {
    starts.push(startMs);
    if (starts.length === 300) break;
  }
  return starts.join();
}

test('rules with the same words have the same slots', { timeout: 600_000 }, () => {
  const source = dice(7);
  const byWords = new Map<string, Set<string>>();
  for (let drawn = 0; drawn < RULES; drawn += 1) {
    const rule = drawRule(source);
    const words = describeRecurrence([rule]);
    const alike = byWords.get(words) ?? new Set();
    alike.add(rule);
    byWords.set(words, alike);
  }
  let compared = 0;
  for (const [words, rules] of byWords) {
    if (rules.size < 2) continue;
    const years = Math.min(...[...rules].map(yearsOf));
    const slots = new Map([...rules].map((rule) => [slotsOf(rule, years), rule]));
    compared += rules.size;
    expect([...slots.values()], words).toHaveLength(1);
  }
  expect(compared).toBeGreaterThan(RULES / 50);
});
