import { compileSeries, type Series } from 'kalends/recurrence';
import { expect } from 'vitest';
import { basicTime, extendedTime, type RuleShape, ruleText } from './rule-shape.ts';
import { define, type SubDailyCase } from './sub-daily-definition.ts';
import { createDice, type Dice, drawCase, drawWindow } from './sub-daily-draw.ts';

/** Windows that each rule is asked for. */
export const WINDOWS = 20;

export function seriesOf({ shape, zone, dtstart }: SubDailyCase, end: Partial<RuleShape> = {}): Series {
  const lines = [`RRULE:${ruleText({ ...shape, ...end })}`];
  return compileSeries({ dtstart: extendedTime(dtstart), timeZone: zone, lines });
}

export function nameOf({ shape, zone, dtstart }: SubDailyCase): string {
  return `${zone} ${extendedTime(dtstart)} ${ruleText(shape)}`;
}

/** The starts in `[from, to)` as seconds. */
export function startsIn(series: Series, from: number, to: number): readonly number[] {
  const found = series.occurrences({ from: from * 1000, to: to * 1000, limit: Number.POSITIVE_INFINITY });
  return found.map((slot) => slot.startMs / 1000);
}

const isSame = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

/** Asks rules drawn from a seed in twenty windows each; returns how many slots the oracle found. */
export function agreeInWindows(seed: number, rules: number, zones?: readonly (string | null)[]): number {
  const dice = createDice(seed);
  let slots = 0;
  for (let rule = 0; rule < rules; rule++) {
    const each = drawCase(dice, zones);
    const definition = define(each);
    const series = seriesOf(each);
    for (let asked = 0; asked < WINDOWS; asked++) {
      const { from, middle, to } = drawWindow(dice, each, definition);
      const wanted = definition.slots(from, to);
      const found = startsIn(series, from, to);
      const halves = [...startsIn(series, from, middle), ...startsIn(series, middle, to)];
      slots += wanted.length;
      if (isSame(found, wanted) && isSame(halves, wanted)) continue;
      const name = `${nameOf(each)}, seed ${seed}, ${extendedTime(from)}Z to ${extendedTime(to)}Z`;
      expect(found.map(extendedTime), name).toEqual(wanted.map(extendedTime));
      expect(halves.map(extendedTime), `${name}, cut at ${extendedTime(middle)}Z`).toEqual(wanted.map(extendedTime));
    }
  }
  return slots;
}

const YEAR = 31_557_600;

/** The brute count of a rule: how many slots each year has, their sum as a checksum, and some slots by their number. */
interface Whole {
  readonly counts: Float64Array;
  readonly sums: Float64Array;
  readonly numbered: ReadonlyMap<number, number>;
  readonly total: number;
}

function countWhole(each: SubDailyCase, years: number): Whole {
  const definition = define(each);
  const { start } = definition;
  const counts = new Float64Array(years);
  const sums = new Float64Array(years);
  const numbered = new Map<number, number>();
  let total = 0;
  let last = Number.NaN;
  let next = 1;
  definition.walk(start + years * YEAR, (slot) => {
    const year = Math.floor((slot - start) / YEAR);
    counts[year]! += 1;
    sums[year]! += slot - start - year * YEAR;
    total++;
    last = slot;
    if (total === next) {
      numbered.set(total, slot);
      next = total * 3 + 1;
    }
    return true;
  });
  if (total > 0) numbered.set(total, last);
  return { counts, sums, numbered, total };
}

/** Reads a rule over a hundred years and asks for its ends under COUNT and UNTIL; returns how many slots it has. */
export function agreeWhole(each: SubDailyCase): number {
  const years = 100;
  const whole = countWhole(each, years);
  const { start } = define(each);
  const series = seriesOf(each);
  for (let year = 0; year < years; year++) {
    const from = start + year * YEAR;
    const found = startsIn(series, from, from + YEAR);
    const sum = found.reduce((total, slot) => total + slot - from, 0);
    expect([found.length, sum], `${nameOf(each)}, year ${year}`).toEqual([whole.counts[year], whole.sums[year]]);
  }
  for (const [number, slot] of whole.numbered) {
    const name = `${nameOf(each)}, slot ${number}`;
    const counted = seriesOf(each, { count: number });
    expect(counted.last()?.startMs, `${name} by COUNT`).toBe(slot * 1000);
    expect(
      startsIn(seriesOf(each, { count: number }), slot - 86_400, slot + 86_400).at(-1),
      `${name} in a window`,
    ).toBe(slot);
    expect(counted.first()?.startMs, name).toBe((whole.numbered.get(1) ?? Number.NaN) * 1000);
    const lines = [`RRULE:${ruleText(each.shape)};UNTIL=${basicTime(slot)}Z`];
    const ended = compileSeries({ dtstart: extendedTime(each.dtstart), timeZone: each.zone, lines });
    expect(ended.last()?.startMs, `${name} by UNTIL`).toBe(slot * 1000);
  }
  return whole.total;
}

/** Draws a rule without an end that takes at most five million steps in a hundred years. */
export function drawWhole(dice: Dice): SubDailyCase {
  for (;;) {
    const each = drawCase(dice);
    const { until: _until, ...shape } = each.shape;
    const unit = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 }[shape.freq as 'HOURLY' | 'MINUTELY' | 'SECONDLY'];
    if (unit * shape.interval >= 600) return { ...each, shape };
  }
}
