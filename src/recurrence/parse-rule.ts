import { parseTime } from './parse-time.ts';
import { RecurrenceError } from './recurrence-error.ts';
import {
  FREQUENCIES,
  type Frequency,
  type OrdinalWeekday,
  type RecurrenceRule,
  WEEKDAY_NAMES,
} from './recurrence-rule.ts';

type Draft = { -readonly [Part in keyof RecurrenceRule]: RecurrenceRule[Part] };

const MAX_NUMBER = 1_000_000_000;
/** Number of distinct BYDAY values: none or one of 106 numbers before each of seven days. */
const MAX_WEEKDAYS = 749;

/**
 * Parses the value of an RRULE, `FREQ=WEEKLY;BYDAY=MO,WE`, in capitals and without white space.
 * @throws RecurrenceError naming the part that is unknown, doubled, malformed or out of its range.
 * @see RFC 5545 §3.3.10
 */
export function parseRule(text: string): RecurrenceRule {
  const rule: Draft = {
    freq: 'DAILY',
    interval: 1,
    count: undefined,
    until: undefined,
    wkst: 0,
    bySecond: undefined,
    byMinute: undefined,
    byHour: undefined,
    byDay: undefined,
    byMonthDay: undefined,
    byYearDay: undefined,
    byWeekNo: undefined,
    byMonth: undefined,
    bySetPos: undefined,
  };
  let seen = 0;
  for (let at = 0; at < text.length; ) {
    const semicolon = text.indexOf(';', at);
    const end = semicolon < 0 ? text.length : semicolon;
    if (end > at) {
      const equals = text.indexOf('=', at);
      if (equals < 0 || equals >= end) throw new RecurrenceError(text.slice(at, end), 'has no value');
      const bit = readPart(rule, text.slice(at, equals), text, equals + 1, end);
      if ((seen & bit) !== 0) throw new RecurrenceError(text.slice(at, equals), 'is given twice');
      seen |= bit;
    }
    at = end + 1;
  }
  if ((seen & 1) === 0) throw new RecurrenceError('FREQ', 'is missing');
  if (rule.byDay !== undefined) checkOrdinals(rule, rule.byDay);
  return rule;
}

/** Parses one part into the rule and returns its bit, which detects duplicates. */
function readPart(rule: Draft, name: string, text: string, from: number, to: number): number {
  switch (name) {
    case 'FREQ':
      rule.freq = readFrequency(text.slice(from, to));
      return 1;
    case 'INTERVAL':
      rule.interval = readInteger(text, from, to, name, 1, MAX_NUMBER);
      return 2;
    case 'COUNT':
      rule.count = readInteger(text, from, to, name, 1, MAX_NUMBER);
      return 4;
    case 'UNTIL':
      rule.until = parseTime(text.slice(from, to), name);
      return 8;
    case 'WKST':
      rule.wkst = readWeekday(text, from, to, name);
      return 16;
    case 'BYDAY':
      rule.byDay = readWeekdays(text, from, to);
      return 32;
    case 'BYMONTHDAY':
      rule.byMonthDay = readList(text, from, to, name, -31, 31);
      return 64;
    case 'BYMONTH':
      rule.byMonth = readList(text, from, to, name, 1, 12);
      return 128;
    case 'BYSETPOS':
      rule.bySetPos = readList(text, from, to, name, -366, 366);
      return 256;
    case 'BYHOUR':
      rule.byHour = readList(text, from, to, name, 0, 23);
      return 512;
    case 'BYMINUTE':
      rule.byMinute = readList(text, from, to, name, 0, 59);
      return 1024;
    case 'BYSECOND':
      rule.bySecond = readList(text, from, to, name, 0, 60);
      return 2048;
    case 'BYYEARDAY':
      rule.byYearDay = readList(text, from, to, name, -366, 366);
      return 4096;
    case 'BYWEEKNO':
      rule.byWeekNo = readList(text, from, to, name, -53, 53);
      return 8192;
    default:
      return readExtension(name, text.slice(from, to));
  }
}

/** Accepts RFC 7529's defaults and RFC 2445's x-parts, which do not affect the slots; rejects all other unknown parts. */
function readExtension(name: string, value: string): number {
  const harmless =
    name.startsWith('X-') || (name === 'RSCALE' && value === 'GREGORIAN') || (name === 'SKIP' && value === 'OMIT');
  if (!harmless) throw new RecurrenceError(name, `"${value}" is not supported`);
  return 0;
}

function readFrequency(text: string): Frequency {
  const index = FREQUENCIES.indexOf(text as Frequency);
  if (index < 0) throw new RecurrenceError('FREQ', `"${text}" is none of ${FREQUENCIES.join(', ')}`);
  return FREQUENCIES[index]!;
}

function readInteger(text: string, from: number, to: number, part: string, least: number, most: number): number {
  const first = text.charCodeAt(from);
  const signed = first === 45 || first === 43;
  let value = 0;
  let at = signed ? from + 1 : from;
  if (at >= to || to - at > 10) throw outOfRange(text.slice(from, to), part, least, most);
  for (; at < to; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) throw outOfRange(text.slice(from, to), part, least, most);
    value = value * 10 + digit;
  }
  if (first === 45) value = -value;
  if (value < least || value > most || (value === 0 && least < 0)) {
    throw outOfRange(text.slice(from, to), part, least, most);
  }
  return value;
}

function outOfRange(value: string, part: string, least: number, most: number): RecurrenceError {
  const range = least < 0 ? `1 to ${most} or -${most} to -1` : `${least} to ${most}`;
  return new RecurrenceError(part, `"${value}" is no whole number from ${range}`);
}

function readList(text: string, from: number, to: number, part: string, least: number, most: number): number[] {
  const values: number[] = [];
  for (let at = from; at <= to; ) {
    const comma = text.indexOf(',', at);
    const end = comma < 0 || comma > to ? to : comma;
    values.push(readInteger(text, at, end, part, least, most));
    at = end + 1;
  }
  // More values than distinct ones exist only in attacks.
  return values.length > most - least + 1 ? [...new Set(values)] : values;
}

function readWeekdays(text: string, from: number, to: number): OrdinalWeekday[] {
  const days: OrdinalWeekday[] = [];
  for (let at = from; at <= to; ) {
    const comma = text.indexOf(',', at);
    const end = comma < 0 || comma > to ? to : comma;
    const ordinal = end - at > 2 ? readInteger(text, at, end - 2, 'BYDAY', -53, 53) : 0;
    days.push({ weekday: readWeekday(text, Math.max(at, end - 2), end, 'BYDAY'), ordinal });
    at = end + 1;
  }
  return days.length > MAX_WEEKDAYS ? distinctWeekdays(days) : days;
}

function distinctWeekdays(days: readonly OrdinalWeekday[]): OrdinalWeekday[] {
  return [...new Map(days.map((day) => [day.ordinal * 7 + day.weekday, day])).values()];
}

function readWeekday(text: string, from: number, to: number, part: string): number {
  const name = text.slice(from, to);
  const weekday = (WEEKDAY_NAMES as readonly string[]).indexOf(name);
  if (weekday < 0) throw new RecurrenceError(part, `"${name}" is no weekday (${WEEKDAY_NAMES.join(', ')})`);
  return weekday;
}

function checkOrdinals(rule: RecurrenceRule, days: readonly OrdinalWeekday[]): void {
  const counted = rule.freq === 'MONTHLY' || (rule.freq === 'YEARLY' && rule.byWeekNo === undefined);
  if (!counted && days.some((day) => day.ordinal !== 0)) {
    const where = rule.freq === 'YEARLY' ? 'beside BYWEEKNO' : `with FREQ=${rule.freq}`;
    throw new RecurrenceError('BYDAY', `a numbered weekday has no meaning ${where}`);
  }
}
