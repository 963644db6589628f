import {
  type Frequency,
  isSubDaily,
  type OrdinalWeekday,
  type RecurrenceRule,
  type RecurrenceTime,
} from '../recurrence/index.ts';

/** Most times of day that are listed one by one. */
const MOST_TIMES = 12;

/** A rule as a language puts it into words. Lists are sorted without repetitions; an absent part is undefined. */
export interface RuleFacts {
  readonly freq: Frequency;
  readonly interval: number;
  readonly count: number | undefined;
  readonly until: RecurrenceTime | undefined;
  /** From 1 to 12. */
  readonly months: readonly number[] | undefined;
  /** From 1 to 53, or from -1 for the last one. */
  readonly weekNumbers: readonly number[] | undefined;
  /** From 1 to 366, or from -1 for the last one. */
  readonly yearDays: readonly number[] | undefined;
  /** From 1 to 31, or from -1 for the last one. */
  readonly monthDays: readonly number[] | undefined;
  readonly weekdays: readonly OrdinalWeekday[] | undefined;
  /** Set when the weekdays are exactly Monday to Friday, Saturday and Sunday, or all seven, none of them numbered. */
  readonly dayKind: 'weekday' | 'weekend day' | 'day' | undefined;
  /** `09:30` or `09:30:15`: the hours with their minutes, in place of the lists below. */
  readonly times: readonly string[] | undefined;
  readonly hours: readonly number[] | undefined;
  readonly minutes: readonly number[] | undefined;
  readonly seconds: readonly number[] | undefined;
  readonly setPositions: readonly number[] | undefined;
  /** First day of the week from 0 for Monday, where the slots depend on it. */
  readonly weekStart: number | undefined;
}

export function factsOf(rule: RecurrenceRule): RuleFacts {
  const { freq, interval, count, until, byDay } = rule;
  const weekdays = byDay === undefined ? undefined : sortedWeekdays(byDay);
  return {
    freq,
    interval,
    count,
    until,
    months: sorted(rule.byMonth),
    weekNumbers: sorted(rule.byWeekNo),
    yearDays: sorted(rule.byYearDay),
    monthDays: sorted(rule.byMonthDay),
    weekdays,
    dayKind: weekdays === undefined ? undefined : kindOf(weekdays),
    ...timesOf(rule),
    setPositions: sorted(rule.bySetPos),
    weekStart: dependsOnWeekStart(rule) ? rule.wkst : undefined,
  };
}

/** Sorts from the first to the last: 1, 2, …, -2, -1. */
function sorted(values: readonly number[] | undefined): readonly number[] | undefined {
  const place = (value: number) => (value < 0 ? 1_000 + value : value);
  return values === undefined ? undefined : [...new Set(values)].sort((a, b) => place(a) - place(b));
}

function sortedWeekdays(days: readonly OrdinalWeekday[]): readonly OrdinalWeekday[] {
  const keyed = new Map(days.map((day) => [day.weekday * 1_000 + (day.ordinal < 0 ? 500 : 0) + day.ordinal, day]));
  return [...keyed].sort(([a], [b]) => a - b).map(([, day]) => day);
}

function kindOf(days: readonly OrdinalWeekday[]): RuleFacts['dayKind'] {
  if (days.some(({ ordinal }) => ordinal !== 0)) return undefined;
  switch (days.map(({ weekday }) => weekday).join()) {
    case '0,1,2,3,4':
      return 'weekday';
    case '5,6':
      return 'weekend day';
    case '0,1,2,3,4,5,6':
      return 'day';
    default:
      return undefined;
  }
}

function timesOf(rule: RecurrenceRule): Pick<RuleFacts, 'times' | 'hours' | 'minutes' | 'seconds'> {
  const [hours, minutes, seconds] = [sorted(rule.byHour), sorted(rule.byMinute), sorted(rule.bySecond)];
  if (isSubDaily(rule.freq) || hours === undefined || minutes === undefined) {
    return { times: undefined, hours, minutes, seconds };
  }
  const clock = (parts: readonly number[]) => parts.map((part) => String(part).padStart(2, '0')).join(':');
  const times = hours.flatMap((hour) =>
    minutes.flatMap((minute) =>
      seconds === undefined ? [clock([hour, minute])] : seconds.map((second) => clock([hour, minute, second])),
    ),
  );
  if (times.length > MOST_TIMES) return { times: undefined, hours, minutes, seconds };
  return { times, hours: undefined, minutes: undefined, seconds: undefined };
}

/** Weeks that begin on another day than Monday hold other slots where weeks are counted or skipped. */
function dependsOnWeekStart({ freq, interval, wkst, byWeekNo, bySetPos }: RecurrenceRule): boolean {
  if (wkst === 0) return false;
  return byWeekNo !== undefined || (freq === 'WEEKLY' && (interval > 1 || bySetPos !== undefined));
}
