import { type Frequency, RecurrenceError } from '../../../src/recurrence/index.ts';
import { type Moment, readMoment } from './moment.ts';
import { stampOf, type TimeFrame } from './time-frame.ts';

export type WeekdayName = 'MO' | 'TU' | 'WE' | 'TH' | 'FR' | 'SA' | 'SU';

/** A rule as an object; its parts are those of RFC 5545 §3.3.10. */
export interface RuleObject {
  readonly freq: Frequency | Lowercase<Frequency>;
  /** @default 1 */
  readonly interval?: number;
  readonly count?: number;
  /** The last moment that may be a start; a date includes its whole day. */
  readonly until?: Moment;
  /** @default 'MO' */
  readonly wkst?: WeekdayName;
  readonly bySecond?: number | readonly number[];
  readonly byMinute?: number | readonly number[];
  readonly byHour?: number | readonly number[];
  /** `'MO'`, or with the place in the month or year: `'2TU'`, `'-1FR'`. */
  readonly byDay?: RuleDay | readonly RuleDay[];
  readonly byMonthDay?: number | readonly number[];
  readonly byYearDay?: number | readonly number[];
  readonly byWeekNo?: number | readonly number[];
  readonly byMonth?: number | readonly number[];
  readonly bySetPos?: number | readonly number[];
}

export type RuleDay = WeekdayName | `${number}${WeekdayName}`;

const PARTS: readonly (keyof RuleObject)[] = [
  'freq',
  'until',
  'count',
  'interval',
  'bySecond',
  'byMinute',
  'byHour',
  'byDay',
  'byMonthDay',
  'byYearDay',
  'byWeekNo',
  'byMonth',
  'bySetPos',
  'wkst',
];

/**
 * Writes a rule as the value of an RRULE; the parser of rules checks the values.
 * @throws RecurrenceError naming a part that no rule has, or one that is neither a number nor a text
 */
export function ruleText(rule: RuleObject, frame: TimeFrame): string {
  const given: Partial<Record<string, unknown>> = { ...rule };
  const unknown = Object.keys(given).find((part) => !(PARTS as readonly string[]).includes(part));
  if (unknown !== undefined) {
    throw new RecurrenceError(unknown, `is no part of a rule; the parts are ${PARTS.join(', ')}`);
  }
  return PARTS.filter((part) => given[part] !== undefined && given[part] !== null)
    .map((part) => `${part.toUpperCase()}=${part === 'until' ? untilText(rule, frame) : valueText(given[part], part)}`)
    .join(';');
}

function untilText({ until = '' }: RuleObject, frame: TimeFrame): string {
  return stampOf(readMoment(until, 'UNTIL'), frame, 'UNTIL');
}

function valueText(value: unknown, part: string): string {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const each of values) {
    if (typeof each !== 'number' && !(typeof each === 'string' && /^[+-]?\d*[a-z]*$/i.test(each))) {
      throw new RecurrenceError(part.toUpperCase(), 'must be a number, a name, or a list of these');
    }
  }
  return values.join(',').toUpperCase();
}
