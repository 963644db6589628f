import { type Frequency, isSubDaily, type OrdinalWeekday } from '../recurrence/index.ts';
import { englishDates, englishTime } from './english-dates.ts';
import { DAYS, hour, list, MONTHS, nth } from './english-words.ts';
import type { Language } from './language.ts';
import type { RuleFacts } from './rule-facts.ts';

/** English, as `describeRecurrence` has it by default. */
export const english: Language = {
  rule(facts) {
    if (facts.count === 1 && facts.until === undefined && isBare(facts)) return 'once';
    const sentence = [pace(facts), months(facts), days(facts), times(facts)].filter((part) => part !== '').join(' ');
    return [sentence, positions(facts), weekStart(facts)].join('') + end(facts);
  },
  recurrence({ rules, exceptionRules, dates, exceptionDates }) {
    const extra = dates.length === 0 ? [] : [`${rules.length > 0 ? 'and ' : ''}on ${englishDates(dates)}`];
    return [
      ...rules.map((rule, index) => (index === 0 ? rule : `and ${rule}`)),
      ...extra,
      ...exceptionRules.map((rule) => `except ${rule}`),
      ...(exceptionDates.length === 0 ? [] : [`except on ${englishDates(exceptionDates)}`]),
    ].join('; ');
  },
};

const UNITS: Readonly<Record<Frequency, string>> = {
  YEARLY: 'year',
  MONTHLY: 'month',
  WEEKLY: 'week',
  DAILY: 'day',
  HOURLY: 'hour',
  MINUTELY: 'minute',
  SECONDLY: 'second',
};

/** The parts that name days. */
type DayPart = 'yearDays' | 'monthDays' | 'weekNumbers' | 'weekdays';

/** The parts that choose days in each period of a frequency, the first that is there before others; these limit its days. */
const CHOICES: Readonly<Partial<Record<Frequency, readonly DayPart[]>>> = {
  YEARLY: ['yearDays', 'monthDays', 'weekNumbers', 'weekdays'],
  MONTHLY: ['monthDays', 'weekdays'],
  WEEKLY: ['weekdays'],
};

const LIMITS: readonly DayPart[] = ['yearDays', 'monthDays', 'weekNumbers', 'weekdays'];

function isBare(facts: RuleFacts): boolean {
  const { months, weekNumbers, yearDays, monthDays, weekdays, times, hours, minutes, seconds, setPositions } = facts;
  return [months, weekNumbers, yearDays, monthDays, weekdays, times, hours, minutes, seconds, setPositions].every(
    (part) => part === undefined,
  );
}

function pace(facts: RuleFacts): string {
  const { freq, interval } = facts;
  if (isByDayName(facts)) return `every ${plainDays(facts, 'and')}`;
  return interval === 1 ? `every ${UNITS[freq]}` : `every ${interval} ${UNITS[freq]}s`;
}

/** Returns true for rules that are said by their weekdays alone: every Monday, every weekday. */
function isByDayName({ freq, interval, weekdays, dayKind, yearDays, monthDays, weekNumbers }: RuleFacts): boolean {
  if (interval !== 1 || weekdays === undefined || [yearDays, monthDays, weekNumbers].some(Boolean)) return false;
  return freq === 'DAILY' || (freq === 'WEEKLY' && dayKind === 'weekday');
}

/** The part that chooses the days, if any. */
function choiceOf(facts: RuleFacts): DayPart | undefined {
  return CHOICES[facts.freq]?.find((part) => facts[part] !== undefined);
}

/** Returns true when the months belong to the words of the days: the 2nd Sunday of March. */
function namesMonths(facts: RuleFacts): boolean {
  if (facts.freq !== 'YEARLY' || facts.months === undefined) return false;
  const choice = choiceOf(facts);
  if (choice === 'weekdays') return isNumbered(facts) || isPositioned(facts);
  return choice === 'monthDays';
}

function months(facts: RuleFacts): string {
  return facts.months === undefined || namesMonths(facts) ? '' : `in ${monthList(facts.months)}`;
}

function monthList(values: readonly number[]): string {
  return list(
    values.map((month) => MONTHS[month - 1] ?? ''),
    'and',
  );
}

function days(facts: RuleFacts): string {
  if (isByDayName(facts)) return '';
  const choice = choiceOf(facts);
  const said = new Set<DayPart>(choice === undefined ? [] : [choice]);
  if (choice === 'weekNumbers') said.add('weekdays');
  const limits = LIMITS.filter((part) => facts[part] !== undefined && !said.has(part)).map((part) =>
    limit(facts, part),
  );
  const chosen = choice === undefined ? '' : chosenDays(facts, choice);
  const limited = limits.length === 0 ? '' : `if it is ${limits.join(' and ')}`;
  return [chosen, limited].filter((part) => part !== '').join(' ');
}

function chosenDays(facts: RuleFacts, choice: DayPart): string {
  switch (choice) {
    case 'yearDays':
      return `on ${yearDays(facts, 'and')}`;
    case 'monthDays':
      return `on ${monthDays(facts)}`;
    case 'weekNumbers':
      return weekNumbers(facts);
    case 'weekdays':
      return `on ${weekdays(facts)}`;
  }
}

/** Without weekdays the weekday is that of the start, which no rule tells. */
function weekNumbers(facts: RuleFacts): string {
  const of = weeks(facts, 'and');
  if (facts.weekdays === undefined) return `in ${of}`;
  return `on ${facts.dayKind === undefined ? '' : 'every '}${plainDays(facts, 'and')} of ${of}`;
}

function limit(facts: RuleFacts, part: DayPart): string {
  switch (part) {
    case 'yearDays':
      return yearDays(facts, 'or');
    case 'monthDays':
      return `the ${dayNumbers(facts.monthDays ?? [], 'or')} of the month`;
    case 'weekNumbers':
      return `in ${weeks(facts, 'or')}`;
    case 'weekdays':
      return isNumbered(facts) ? `${numberedDays(facts, 'or')} of the ${scope(facts)}` : `a ${plainDays(facts, 'or')}`;
  }
}

/** The period in which numbered weekdays are counted. */
function scope({ freq, months: of }: RuleFacts): 'year' | 'month' {
  return freq === 'YEARLY' && of === undefined ? 'year' : 'month';
}

function yearDays({ yearDays: values = [] }: RuleFacts, conjunction: string): string {
  return `the ${list(values.map(nth), conjunction)} day of the year`;
}

function monthDays({ freq, months: of, monthDays: values = [] }: RuleFacts): string {
  if (freq !== 'YEARLY') return `the ${dayNumbers(values, 'and')}`;
  const [month, ...others] = of ?? [];
  if (month !== undefined && others.length === 0 && values.every((day) => day > 0)) {
    return `${MONTHS[month - 1]} ${list(values.map(String), 'and')}`;
  }
  return `the ${dayNumbers(values, 'and')} of ${of === undefined ? 'every month' : monthList(of)}`;
}

/** Returns `1st, 15th and last day`. */
function dayNumbers(values: readonly number[], conjunction: string): string {
  return list(
    values.map((day) => (day < 0 ? `${nth(day)} day` : nth(day))),
    conjunction,
  );
}

function weeks({ weekNumbers = [] }: RuleFacts, conjunction: string): string {
  if (weekNumbers.every((week) => week > 0)) {
    return `week${weekNumbers.length === 1 ? '' : 's'} ${list(weekNumbers.map(String), conjunction)}`;
  }
  return `${list(
    weekNumbers.map((week) => (week > 0 ? `week ${week}` : `the ${nth(week)} week`)),
    conjunction,
  )} of the year`;
}

function weekdays(facts: RuleFacts): string {
  const { freq, months: of } = facts;
  const ofWhat = freq !== 'YEARLY' ? '' : of === undefined ? ' of the year' : ` of ${monthList(of)}`;
  if (isPositioned(facts)) {
    return `the ${list((facts.setPositions ?? []).map(nth), 'and')} ${plainDays(facts, 'or')}${ofWhat}`;
  }
  if (isNumbered(facts)) return `${numberedDays(facts, 'and')}${ofWhat}`;
  return freq === 'WEEKLY' ? weeklyDays(facts) : `every ${plainDays(facts, 'and')}`;
}

function weeklyDays(facts: RuleFacts): string {
  if (facts.dayKind === 'weekday') return 'weekdays';
  return facts.dayKind === 'day' ? 'every day' : names(facts, 'and');
}

/** Returns `Monday and Wednesday`, or `weekday` for Monday to Friday. */
function plainDays(facts: RuleFacts, conjunction: string): string {
  return facts.dayKind ?? names(facts, conjunction);
}

function names({ weekdays: values = [] }: RuleFacts, conjunction: string): string {
  return list(
    values.map(({ weekday }) => DAYS[weekday] ?? ''),
    conjunction,
  );
}

/** Returns `the 1st and 3rd Monday and every Friday`. */
function numberedDays({ weekdays: values = [] }: RuleFacts, conjunction: string): string {
  const byDay = new Map<number, OrdinalWeekday[]>();
  for (const day of values) byDay.set(day.weekday, [...(byDay.get(day.weekday) ?? []), day]);
  const phrases = [...byDay].flatMap(([weekday, days]) => {
    const name = DAYS[weekday] ?? '';
    const numbers = days.filter(({ ordinal }) => ordinal !== 0).map(({ ordinal }) => nth(ordinal));
    return [
      ...(numbers.length === 0 ? [] : [`the ${list(numbers, conjunction)} ${name}`]),
      ...(numbers.length === days.length ? [] : [`every ${name}`]),
    ];
  });
  return list(phrases, conjunction);
}

function isNumbered({ weekdays: values = [] }: RuleFacts): boolean {
  return values.some(({ ordinal }) => ordinal !== 0);
}

/** Returns true when the positions count nothing but weekdays of one month or year: the last weekday. */
function isPositioned(facts: RuleFacts): boolean {
  const { freq, setPositions, weekdays: values, months: of, times: at, hours, minutes, seconds } = facts;
  if (setPositions === undefined || values === undefined || isNumbered(facts)) return false;
  if ([facts.monthDays, facts.yearDays, facts.weekNumbers, at, hours, minutes, seconds].some(Boolean)) return false;
  return freq === 'MONTHLY' || (freq === 'YEARLY' && (of === undefined || of.length === 1));
}

function times({ freq, times: at, hours, minutes, seconds }: RuleFacts): string {
  if (at !== undefined) return `at ${list(at, 'and')}`;
  const of = (name: string, values: readonly number[] | undefined) =>
    values === undefined ? [] : [`${name}${values.length === 1 ? '' : 's'} ${list(values.map(String), 'and')}`];
  const within = [...of('second', seconds), ...of('minute', minutes)];
  const ofHours = hours === undefined ? '' : hourWords(freq, hours);
  return [within.length === 0 ? '' : `at ${within.join(' of ')}`, ofHours].filter((part) => part !== '').join(' ');
}

/** Returns `in the hour of 09:00`, or a span for hours in a row. */
function hourWords(freq: Frequency, hours: readonly number[]): string {
  const [first = 0, last = 0] = [hours[0], hours.at(-1)];
  if (hours.length > 2 && last - first === hours.length - 1) {
    return `${isSubDaily(freq) ? '' : 'in each hour '}from ${hour(first)} to ${hour(last, 59)}`;
  }
  const words = list(
    hours.map((value) => hour(value)),
    'and',
  );
  return `in the hour${hours.length === 1 ? '' : 's'} of ${words}`;
}

function positions(facts: RuleFacts): string {
  const { freq, setPositions } = facts;
  if (setPositions === undefined || isPositioned(facts)) return '';
  return `, only the ${list(setPositions.map(nth), 'and')} of these each ${UNITS[freq]}`;
}

function weekStart({ weekStart: day }: RuleFacts): string {
  return day === undefined ? '' : `, in weeks that begin on ${DAYS[day]}`;
}

function end({ count, until }: RuleFacts): string {
  const times = count === undefined ? '' : count === 1 ? ', once' : count === 2 ? ', twice' : `, ${count} times`;
  return `${times}${until === undefined ? '' : `${times === '' ? ' ' : ', '}until ${englishTime(until)}`}`;
}
