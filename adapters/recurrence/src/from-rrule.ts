import { compileSeries, type Frequency, type GapPolicy, RecurrenceError } from '../../../src/recurrence/index.ts';
import { formatWall, intlZones } from '../../../src/zones/index.ts';
import { createRecurrence } from './create-recurrence.ts';
import type { RecurrenceOptions } from './parse-recurrence.ts';
import type { Recurrence } from './recurrence.ts';
import { type RuleDay, type RuleObject, ruleText, type WeekdayName } from './rule-text.ts';
import { readStart, type Start } from './start.ts';
import { basic } from './time-frame.ts';

type Numbers = number | readonly number[] | null | undefined;

/** A weekday of rrule: 0 for Monday, `'MO'`, or a Weekday. */
export type RRuleDay = number | string | { readonly weekday: number; readonly n?: number };

/** The options of a rule of rrule. */
export interface RRuleOptions {
  readonly interval?: number | null;
  readonly wkst?: RRuleDay | null;
  readonly count?: number | null;
  readonly until?: Date | null;
  readonly bysetpos?: Numbers;
  readonly bymonth?: Numbers;
  readonly bymonthday?: Numbers;
  readonly byyearday?: Numbers;
  readonly byweekno?: Numbers;
  readonly byweekday?: RRuleDay | readonly RRuleDay[] | null;
  readonly byhour?: Numbers;
  readonly byminute?: Numbers;
  readonly bysecond?: Numbers;
  readonly byeaster?: number | null;
}

/** An RRule of rrule 2, by structure. */
export interface RRuleLike {
  readonly origOptions: RRuleOptions;
  readonly options: { readonly freq: number; readonly dtstart: Date; readonly tzid?: string | null };
}

/** An RRuleSet of rrule 2, by structure. */
export interface RRuleSetLike {
  rrules(): readonly RRuleLike[];
  exrules(): readonly RRuleLike[];
  rdates(): readonly Date[];
  exdates(): readonly Date[];
  tzid(): string | undefined;
}

export interface FromRRuleOptions extends RecurrenceOptions {
  /**
   * The zone of the rule's local times, for a rule without `tzid`; null for floating times.
   * @default 'UTC', as rrule writes them
   */
  readonly timeZone?: string | null;
}

const FREQUENCIES: readonly Frequency[] = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY', 'MINUTELY', 'SECONDLY'];
const WEEKDAYS: readonly WeekdayName[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Most starts of a rule that are listed one by one. */
const MOST_LISTED = 10_000;

/**
 * Takes over an RRule or RRuleSet of rrule 2.
 *
 * rrule keeps local times in the UTC fields of its Dates. They become local times of the rule's `tzid`, else of `timeZone`; results
 * are instants. A rule of a set that starts at another time than the first is listed date by date.
 * @throws RecurrenceError naming the option that cannot be taken over
 * @example
 * import rrule from 'rrule';
 *
 * const weekly = rrule.rrulestr('DTSTART:20260105T090000Z\nRRULE:FREQ=WEEKLY');
 * fromRRule(weekly).between(new Date('2026-03-01T00:00Z'), new Date('2026-04-01T00:00Z'));
 */
export function fromRRule(source: RRuleLike | RRuleSetLike, options: FromRRuleOptions = {}): Recurrence {
  const set = 'rrules' in source ? source : singleSet(source);
  const rules = set.rrules();
  const exceptionRules = set.exrules();
  for (const rule of [...rules, ...exceptionRules]) {
    if ('rrules' in rule) throw new RecurrenceError('rrules', 'a set within a set is not supported');
  }
  const rdates = set.rdates();
  const first = rules[0]?.options.dtstart ?? [...rdates].sort((one, other) => one.getTime() - other.getTime())[0];
  if (first === undefined) throw new RecurrenceError('rrules', 'is empty, and so is rdates');
  const start = readStart(localText(first), zoneOf(set, options), options.zones ?? intlZones);
  const lines = [
    ...rules.map((rule) => ruleLine('RRULE', rule, start, options.gap)),
    ...exceptionRules.map((rule) => ruleLine('EXRULE', rule, start, options.gap)),
    ...rdates.map((date) => `RDATE:${basic(localText(date))}`),
    ...set.exdates().map((date) => `EXDATE:${basic(localText(date))}`),
  ].filter((line) => line !== '');
  return createRecurrence({ start, lines, gap: options.gap, zoneLines: [] });
}

function singleSet(rule: RRuleLike): RRuleSetLike {
  return { rrules: () => [rule], exrules: () => [], rdates: () => [], exdates: () => [], tzid: () => undefined };
}

function zoneOf(set: RRuleSetLike, { timeZone = 'UTC' }: FromRRuleOptions): string | null {
  const rules = [...set.rrules(), ...set.exrules()];
  const named = [set.tzid(), ...rules.map(({ options }) => options.tzid)].filter((tzid) => tzid);
  const [zone, other] = new Set(named);
  if (other !== undefined)
    throw new RecurrenceError('tzid', `rules of a set have one zone; these have ${zone} and ${other}`);
  return zone ?? timeZone;
}

/** The local time in the UTC fields of a Date. */
function localText(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new RecurrenceError('rrule', 'has an invalid Date');
  return formatWall(date.getTime());
}

/** Writes a rule; one that starts at another time than the series becomes a list of dates. */
function ruleLine(name: 'RRULE' | 'EXRULE', rule: RRuleLike, start: Start, gap: GapPolicy | undefined): string {
  const dtstart = localText(rule.options.dtstart);
  const text = ruleText(ruleOf(rule), start);
  if (dtstart === start.dtstart) return `${name}:${text}`;
  const { timeZone, zones } = start;
  const series = compileSeries({ dtstart, timeZone, lines: [`RRULE:${text}`], gap, zones });
  const what = name === 'RRULE' ? 'rrules' : 'exrules';
  if (!series.isFinite) {
    throw new RecurrenceError(what, `a rule without an end starts at ${dtstart}, the first one at ${start.dtstart}`);
  }
  const window = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, limit: MOST_LISTED + 1 };
  const found = series.occurrences(window);
  if (found.length > MOST_LISTED) {
    throw new RecurrenceError(
      what,
      `more than ${MOST_LISTED} dates of a rule that starts at ${dtstart}, not with the first one`,
    );
  }
  const stamps = found.map(({ startMs }) => basic(formatWall(startMs)) + (timeZone === null ? '' : 'Z'));
  return stamps.length === 0 ? '' : `${name === 'RRULE' ? 'RDATE' : 'EXDATE'}:${stamps.join(',')}`;
}

function ruleOf({ options, origOptions }: RRuleLike): RuleObject {
  const freq = FREQUENCIES[options.freq];
  if (freq === undefined) throw new RecurrenceError('freq', `${options.freq} is none of rrule's`);
  if (origOptions.byeaster !== null && origOptions.byeaster !== undefined) {
    throw new RecurrenceError('byeaster', 'is not supported; rrule does not implement it either');
  }
  const { until, wkst, byweekday } = origOptions;
  return {
    freq,
    ...part('interval', origOptions.interval),
    ...part('count', origOptions.count),
    ...(until ? { until: localText(until) } : {}),
    ...(wkst === null || wkst === undefined ? {} : { wkst: weekday(wkst) }),
    ...part('bySetPos', origOptions.bysetpos),
    ...part('byMonth', origOptions.bymonth),
    ...part('byMonthDay', origOptions.bymonthday),
    ...part('byYearDay', origOptions.byyearday),
    ...part('byWeekNo', origOptions.byweekno),
    ...part('byDay', byweekday === null || byweekday === undefined ? undefined : daysOf(byweekday)),
    ...part('byHour', origOptions.byhour),
    ...part('byMinute', origOptions.byminute),
    ...part('bySecond', origOptions.bysecond),
  };
}

/** A part with a value; rrule takes null and an empty list for none. */
function part<Name extends string, Value>(name: Name, value: Value): { [Key in Name]?: NonNullable<Value> } {
  const isNone = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  return (isNone ? {} : { [name]: value }) as { [Key in Name]?: NonNullable<Value> };
}

function daysOf(days: RRuleDay | readonly RRuleDay[]): readonly RuleDay[] {
  return (Array.isArray(days) ? (days as readonly RRuleDay[]) : [days as RRuleDay]).map((day): RuleDay => {
    const ordinal = typeof day === 'object' ? day.n : undefined;
    return ordinal ? `${ordinal}${weekday(day)}` : weekday(day);
  });
}

function weekday(day: RRuleDay): WeekdayName {
  const name = typeof day === 'string' ? WEEKDAYS.find((each) => each === day) : WEEKDAYS[numberOf(day)];
  if (name === undefined) throw new RecurrenceError('byweekday', `${JSON.stringify(day)} is no weekday of rrule`);
  return name;
}

function numberOf(day: Exclude<RRuleDay, string>): number {
  return typeof day === 'number' ? day : day.weekday;
}
