import { RecurrenceError } from '../../../src/recurrence/index.ts';
import { createRecurrence } from './create-recurrence.ts';
import { type Moment, readMoment } from './moment.ts';
import type { RecurrenceOptions } from './parse-recurrence.ts';
import type { Recurrence } from './recurrence.ts';
import { type RuleObject, ruleText } from './rule-text.ts';
import { readStart } from './start.ts';
import { stampOf, type TimeFrame } from './time-frame.ts';

/** A recurrence as an object. */
export interface RecurrenceObject extends RecurrenceOptions {
  /** Local time (`2026-01-05T09:00`), a date for an all-day recurrence, or an instant. */
  readonly start: Moment;
  /** The zone of the start; without one, local time is floating and an instant is in UTC. */
  readonly timeZone?: string | null;
  /** One rule or several, as objects or texts. */
  readonly rule?: RuleObject | string | readonly (RuleObject | string)[];
  /** Starts beside those of the rules. */
  readonly rdates?: readonly Moment[];
  /** Starts that are left out; a date leaves out all starts of its day. */
  readonly exdates?: readonly Moment[];
}

const FIELDS = ['start', 'timeZone', 'rule', 'rdates', 'exdates', 'gap', 'zones'];

/**
 * Makes a recurrence from an object. Without a rule, its occurrences are the start and the `rdates`.
 * @throws RecurrenceError naming the field or the part of a rule that cannot be read
 * @example
 * recurrence({
 *   start: '2026-01-05T09:00',
 *   timeZone: 'America/New_York',
 *   rule: { freq: 'weekly', byDay: ['MO', 'WE'], count: 8 },
 *   exdates: ['2026-01-07'],
 * }).as('iso').all();
 */
export function recurrence(object: RecurrenceObject): Recurrence {
  const unknown = Object.keys(object).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw new RecurrenceError(unknown, `is no field; the fields are ${FIELDS.join(', ')}`);
  const { rule = [], rdates = [], exdates = [], gap } = object;
  const start = readStart(object.start, object.timeZone, object.zones);
  const rules = isList(rule) ? rule : [rule];
  const lines = [
    ...rules.map((each) => (typeof each === 'string' ? ruleLine(each) : `RRULE:${ruleText(each, start)}`)),
    ...rdates.map((each) => dateLine('RDATE', each, start)),
    ...exdates.map((each) => dateLine('EXDATE', each, start)),
  ];
  return createRecurrence({ start, lines, gap, zoneLines: [] });
}

function isList<Item>(value: Item | readonly Item[]): value is readonly Item[] {
  return Array.isArray(value);
}

function ruleLine(text: string): string {
  if (/[\r\n]/.test(text.trim())) throw new RecurrenceError('rule', 'has several lines; parseRecurrence reads them');
  return `RRULE:${text.trim().replace(/^RRULE:/i, '')}`;
}

function dateLine(name: 'RDATE' | 'EXDATE', moment: Moment, frame: TimeFrame): string {
  const part = name === 'RDATE' ? 'rdates' : 'exdates';
  const stamp = stampOf(readMoment(moment, part), frame, part);
  return stamp.includes('T') ? `${name}:${stamp}` : `${name};VALUE=DATE:${stamp}`;
}
