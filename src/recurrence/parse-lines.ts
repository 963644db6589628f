import { parseRule } from './parse-rule.ts';
import { parseDuration, parseTime } from './parse-time.ts';
import { RecurrenceError } from './recurrence-error.ts';
import type { RecurrenceDate, RecurrenceLines, RecurrenceRule } from './recurrence-rule.ts';

interface Draft {
  readonly rules: RecurrenceRule[];
  readonly exceptionRules: RecurrenceRule[];
  readonly dates: RecurrenceDate[];
  readonly exceptionDates: RecurrenceDate[];
}

/** Every repetition is of one class, so that the search is linear. */
const EMPTY_LINE = /^\s*(?:(?:RRULE|EXRULE|RDATE|EXDATE)(?:;[^":]*)?:\s*)?$/i;

/** More rules than any calendar has: each is asked for every window. */
const MOST_RULES = 1_000;

/**
 * Reads the recurrence properties of an event: RRULE, RDATE, EXDATE and RFC 2445's EXRULE, in any order and case,
 * with parameters, folded or not; a bare `FREQ=…` is an RRULE. Parameters other than TZID and VALUE are dropped, and so
 * are lines and properties without a value (`RRULE:`).
 * @throws RecurrenceError naming the property or rule part that cannot be read.
 * @see RFC 5545 §3.1, §3.8.5
 */
export function parseRecurrence(lines: readonly string[]): RecurrenceLines {
  const draft: Draft = { rules: [], exceptionRules: [], dates: [], exceptionDates: [] };
  for (const line of lines.some(isFolded) ? unfold(lines) : lines) readLine(draft, line);
  return draft;
}

function isFolded(line: string): boolean {
  const first = line.charCodeAt(0);
  return first === 32 || first === 9 || line.includes('\n') || line.includes('\r');
}

function unfold(lines: readonly string[]): readonly string[] {
  return lines
    .join('\n')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\n[ \t]/g, '')
    .split('\n');
}

function readLine(draft: Draft, line: string): void {
  const text = line.trim().toUpperCase();
  if (text === '') return;
  if (text.startsWith('RRULE:')) addRule(draft, draft.rules, 'RRULE', compact(text, 6));
  else if (text.startsWith('FREQ=')) addRule(draft, draft.rules, 'RRULE', compact(text, 0));
  else readProperty(draft, line.trim());
}

function compact(text: string, from: number): string {
  return text.includes(' ') ? text.slice(from).replaceAll(' ', '') : text.slice(from);
}

function readProperty(draft: Draft, line: string): void {
  const colon = valueStart(line);
  const [name = '', ...parameters] = splitOutsideQuotes(line.slice(0, colon));
  const value = line
    .slice(colon + 1)
    .toUpperCase()
    .replaceAll(' ', '');
  switch (name.toUpperCase()) {
    case 'RRULE':
      addRule(draft, draft.rules, 'RRULE', value);
      break;
    case 'EXRULE':
      addRule(draft, draft.exceptionRules, 'EXRULE', value);
      break;
    case 'RDATE':
      readDates(draft.dates, 'RDATE', parameters, value);
      break;
    case 'EXDATE':
      readDates(draft.exceptionDates, 'EXDATE', parameters, value);
      break;
    default:
      throw new RecurrenceError(name.trim() || 'recurrence', 'is none of RRULE, RDATE, EXDATE, EXRULE');
  }
}

function addRule(draft: Draft, into: RecurrenceRule[], part: string, value: string): void {
  if (value === '') return;
  if (draft.rules.length + draft.exceptionRules.length >= MOST_RULES) {
    throw new RecurrenceError(part, `more than ${MOST_RULES} rules are not supported`);
  }
  into.push(parseRule(value));
}

/**
 * Returns the lines that say something: without those that are empty and those of a property without a value, such as
 * `RRULE:`. A folded line keeps its parts.
 */
export function writtenLines(lines: readonly string[]): readonly string[] {
  return lines.filter((line, index) => !EMPTY_LINE.test(line) || /^[ \t]+\S/.test(lines[index + 1] ?? ''));
}

/** The place of the colon before the value; a quoted parameter may hold colons too. */
function valueStart(line: string): number {
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const char = line[at];
    if (char === '"') quoted = !quoted;
    else if (char === ':' && !quoted) return at;
  }
  throw new RecurrenceError(line.split(/[;=]/, 1)[0] || 'recurrence', 'has no value');
}

function splitOutsideQuotes(head: string): readonly string[] {
  return head.match(/(?:"[^"]*"|[^;"])+/g) ?? [];
}

function readDates(into: RecurrenceDate[], part: string, parameters: readonly string[], value: string): void {
  const tzid = parameterOf(parameters, 'TZID');
  const valueType = parameterOf(parameters, 'VALUE')?.toUpperCase();
  if (valueType !== undefined && !['DATE', 'DATE-TIME', 'PERIOD'].includes(valueType)) {
    throw new RecurrenceError(part, `VALUE=${valueType} is not supported`);
  }
  for (const text of value.split(',')) {
    // A trailing comma is common in the wild and adds nothing.
    if (text !== '')
      into.push(text.includes('/') ? readPeriod(text, part, tzid) : { time: parseTime(text, part, tzid) });
  }
}

function readPeriod(text: string, part: string, tzid: string | undefined): RecurrenceDate {
  if (part !== 'RDATE') throw new RecurrenceError(part, `"${text}" is a period, which only RDATE can hold`);
  const [start = '', end = '', ...rest] = text.split('/');
  if (rest.length > 0) throw new RecurrenceError(part, `"${text}" is no period`);
  const time = parseTime(start, part, tzid);
  return /^\+?P/.test(end) ? { time, durationMs: parseDuration(end, part) } : { time, end: parseTime(end, part, tzid) };
}

function parameterOf(parameters: readonly string[], name: string): string | undefined {
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=');
    if (parameter.slice(0, equals).trim().toUpperCase() === name) {
      return parameter
        .slice(equals + 1)
        .trim()
        .replaceAll('"', '');
    }
  }
  return undefined;
}
