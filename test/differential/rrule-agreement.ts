import { compileSeries } from 'kalends/recurrence';
import rrule from 'rrule';
import { expect } from 'vitest';
import { compare } from './cases.ts';
import { calendarCase, extendedTime, type RuleCase, type RuleShape, ruleText } from './rule-shape.ts';
import { periodSizes } from './slow-expander.ts';

/*
 * rrule 2.8.1 in floating time, over every shape of rule for which it is right. The shapes for which it is wrong are
 * listed here, each with the reason; the slow oracle covers them.
 */

interface WrongShape {
  readonly reason: string;
  readonly has: (ruleCase: RuleCase) => boolean;
}

const mixesOrdinals = ({ byDay = [] }: RuleShape): boolean =>
  byDay.some(([ordinal]) => ordinal === 0) && byDay.some(([ordinal]) => ordinal !== 0);

/** The places, from 0, that BYSETPOS names in a set of `size`. */
function placesIn(size: number, positions: readonly number[]): readonly number[] {
  return positions.map((position) => (position > 0 ? position - 1 : size + position)).filter((place) => place < size);
}

const WRONG_SHAPES: readonly WrongShape[] = [
  {
    reason: 'E1: plain and numbered weekdays together are a union (§3.3.10), rrule intersects them',
    has: ({ shape }) => mixesOrdinals(shape),
  },
  {
    reason: 'E2: the first week of WEEKLY with BYSETPOS is a whole week, rrule lets it begin at dtstart',
    has: ({ shape }) => shape.freq === 'WEEKLY' && shape.bySetPos !== undefined,
  },
  {
    reason: 'E3: BYWEEKNO without a day part takes the weekday of dtstart (§3.3.10), rrule gives all seven days',
    has: ({ shape }) => shape.byWeekNo !== undefined && !(shape.byDay ?? shape.byMonthDay ?? shape.byYearDay),
  },
  {
    reason: "E4: rrule miscounts the weeks that reach over a year's edge",
    has: ({ shape }) => shape.byWeekNo?.some((week) => [1, 2, 52, 53].includes(Math.abs(week))) ?? false,
  },
  {
    reason: 'E5: a slot that BYSETPOS names twice occurs once, rrule emits it twice',
    has: ({ shape, dtstart, to }) =>
      shape.bySetPos !== undefined &&
      periodSizes(shape, dtstart, to).some((size) => {
        const places = placesIn(size, shape.bySetPos ?? []);
        return new Set(places).size < places.length;
      }),
  },
  {
    reason: 'E6: a BYSETPOS before the beginning of the set names nothing, rrule takes some other slot',
    has: ({ shape, dtstart, to }) =>
      periodSizes(shape, dtstart, to).some((size) => size > 0 && shape.bySetPos?.some((position) => -position > size)),
  },
  {
    reason: 'E7: rrule walks an exhausted rule to the year 9999 or for ever',
    has: (ruleCase) => !goesOn(ruleCase),
  },
];

/** Whether the rule without its end still has slots in the twenty years after the window. */
function goesOn({ shape, dtstart, to }: RuleCase): boolean {
  const { count: _count, until: _until, ...endless } = shape;
  const series = seriesOf({ shape: endless, dtstart });
  return series.occurrences({ from: to * 1000, to: to * 1000 + 20 * 366 * 86_400_000, limit: 1 }).length > 0;
}

function seriesOf({ shape, dtstart }: Pick<RuleCase, 'shape' | 'dtstart'>) {
  return compileSeries({ dtstart: extendedTime(dtstart), timeZone: null, lines: [`RRULE:${ruleText(shape)}`] });
}

/** rrule neither sorts the values of a time part nor drops doubled ones, so it is given them sorted and once each. */
function forRrule(shape: RuleShape): RuleShape {
  const tidy = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
  return {
    ...shape,
    ...(shape.byHour && { byHour: tidy(shape.byHour) }),
    ...(shape.byMinute && { byMinute: tidy(shape.byMinute) }),
    ...(shape.bySecond && { bySecond: tidy(shape.bySecond) }),
  };
}

function rruleStarts({ shape, dtstart, from, to }: RuleCase): readonly number[] {
  const start = extendedTime(dtstart).replaceAll(/[-:]/g, '');
  const text = ruleText(forRrule(shape)).replace(/UNTIL=\w+/, '$&Z');
  const starts: number[] = [];
  rrule.RRule.fromString(`DTSTART:${start}Z\nRRULE:${text}`).all((date) => {
    const second = date.getTime() / 1000;
    if (second >= from && second < to) starts.push(second);
    return second < to;
  });
  return starts;
}

/** Compares so many calendar rules with rrule. */
export function agreeWithRrule(cases: number): void {
  const leftOut = new Map<string, number>();
  compare('rules against rrule', calendarCase, cases, (ruleCase) => {
    const wrong = WRONG_SHAPES.find((shape) => shape.has(ruleCase));
    if (wrong !== undefined) {
      leftOut.set(wrong.reason, (leftOut.get(wrong.reason) ?? 0) + 1);
      return;
    }
    const { shape, dtstart, from, to } = ruleCase;
    const found = seriesOf(ruleCase).occurrences({ from: from * 1000, to: to * 1000 });
    const starts = found.map((slot) => slot.startMs / 1000);
    const wanted = rruleStarts(ruleCase);
    if (starts.join() === wanted.join()) return;
    expect(starts.map(extendedTime), `${extendedTime(dtstart)} ${ruleText(shape)}`).toEqual(wanted.map(extendedTime));
  });
  console.info([...leftOut].map(([reason, times]) => `${times} left out, ${reason}`).join('\n'));
}
