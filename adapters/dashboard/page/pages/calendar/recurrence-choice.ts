import { parseRecurrence, type RecurrenceRule, serializeRule } from 'kalends/recurrence';
import { addDays, wallMsOf } from '../../parts/wall-time.ts';

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Frequency = 'none' | 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY' | 'custom';

/** A recurrence as the editor's controls show it. */
export interface RecurrenceChoice {
  readonly frequency: Frequency;
  readonly interval: number;
  /** Weekdays of a weekly rule: 0 is Monday. */
  readonly weekdays: readonly number[];
  /** Whether a monthly rule is by the weekday of the start, such as its second Tuesday; otherwise by its day. */
  readonly isByWeekday: boolean;
  readonly ends: 'never' | 'count' | 'until';
  readonly count: number;
  /** Last day. */
  readonly until: string;
  /** The rule as text, for what the controls cannot show. */
  readonly custom: string;
  /** RDATE, EXDATE and other lines, which stay as they are. */
  readonly others: readonly string[];
}

export const NO_RECURRENCE: RecurrenceChoice = {
  frequency: 'none',
  interval: 1,
  weekdays: [],
  isByWeekday: false,
  ends: 'never',
  count: 10,
  until: '',
  custom: '',
  others: [],
};

const isRule = (line: string) => /^(RRULE[:;]|FREQ=)/i.test(line);

/** Returns the weekday of a date, 0 for Monday. */
export const weekdayOfDate = (date: string): number => (Math.floor(wallMsOf(date) / 86_400_000) + 3) % 7;

/** Returns the place of a date's weekday in its month: 2 for the second Tuesday, -1 for the last. */
export function ordinalOfDate(date: string): number {
  const isLast = addDays(date, 7).slice(0, 7) !== date.slice(0, 7);
  return isLast ? -1 : Math.ceil(Number(date.slice(8, 10)) / 7);
}

/** Returns the controls for the lines of a series that starts on a date. */
export function choiceOf(lines: readonly string[], start: string): RecurrenceChoice {
  const rules = lines.filter(isRule);
  const others = lines.filter((line) => !isRule(line));
  const [line = ''] = rules;
  const plain = { ...NO_RECURRENCE, others };
  if (rules.length === 0) return plain;
  const custom: RecurrenceChoice = { ...plain, frequency: 'custom', custom: line.replace(/^RRULE:/i, '') };
  if (rules.length > 1) return custom;
  const [rule] = parseRecurrence([line]).rules;
  if (rule === undefined) return custom;
  const choice = simpleChoice(rule, custom);
  // Only what the controls write exactly as it was is theirs to edit.
  return choice !== undefined && sameRule(linesOf(choice, start)[0], line) ? choice : custom;
}

function simpleChoice(rule: RecurrenceRule, custom: RecurrenceChoice): RecurrenceChoice | undefined {
  const { freq, interval, count, until, byDay } = rule;
  if (freq !== 'DAILY' && freq !== 'WEEKLY' && freq !== 'MONTHLY' && freq !== 'YEARLY') return undefined;
  // A last moment within a day is not a last day.
  if (until !== undefined && until.form !== 'date') return undefined;
  return {
    ...custom,
    frequency: freq,
    interval,
    weekdays: freq === 'WEEKLY' ? (byDay ?? []).map(({ weekday }) => weekday) : [],
    isByWeekday: freq === 'MONTHLY' && byDay !== undefined,
    ends: count !== undefined ? 'count' : until !== undefined ? 'until' : 'never',
    count: count ?? NO_RECURRENCE.count,
    until: until === undefined ? '' : new Date(until.wallMs).toISOString().slice(0, 10),
  };
}

function sameRule(one: string | undefined, other: string): boolean {
  const text = (line: string) => parseRecurrence([line]).rules.map(serializeRule).join();
  return one !== undefined && text(one) === text(other);
}

/** Returns the recurrence lines of the controls, for a series that starts on a date; none for no recurrence. */
export function linesOf(choice: RecurrenceChoice, start: string): readonly string[] {
  if (choice.frequency === 'none') return [];
  if (choice.frequency === 'custom') return [`RRULE:${choice.custom.trim().replace(/^RRULE:/i, '')}`, ...choice.others];
  const parts = [
    `FREQ=${choice.frequency}`,
    ...(choice.interval === 1 ? [] : [`INTERVAL=${choice.interval}`]),
    ...daysOf(choice, start),
    ...(choice.ends === 'count' ? [`COUNT=${choice.count}`] : []),
    ...(choice.ends === 'until' && choice.until !== '' ? [`UNTIL=${choice.until.replaceAll('-', '')}`] : []),
  ];
  return [`RRULE:${parts.join(';')}`, ...choice.others];
}

function daysOf({ frequency, weekdays, isByWeekday }: RecurrenceChoice, start: string): readonly string[] {
  if (frequency === 'WEEKLY' && weekdays.length > 0) {
    return [
      `BYDAY=${weekdays
        .toSorted((one, other) => one - other)
        .map((day) => WEEKDAYS[day])
        .join(',')}`,
    ];
  }
  if (frequency === 'MONTHLY' && isByWeekday) return [`BYDAY=${ordinalOfDate(start)}${WEEKDAYS[weekdayOfDate(start)]}`];
  return [];
}
