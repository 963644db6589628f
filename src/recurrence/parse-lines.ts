import { parseRule } from './parse-rule.ts';
import { parseDuration, parseTime, timeWithin } from './parse-time.ts';
import { RecurrenceError } from './recurrence-error.ts';
import type { RecurrenceDate, RecurrenceLines, RecurrenceRule } from './recurrence-rule.ts';

interface Draft {
  readonly rules: RecurrenceRule[];
  readonly exceptionRules: RecurrenceRule[];
  readonly dates: RecurrenceDate[];
  readonly exceptionDates: RecurrenceDate[];
  /** Cache by text: thousands of lines may share a head. */
  readonly heads: Map<string, LineHead>;
}

/** Head of a line, before its value. */
interface LineHead {
  readonly name: string;
  readonly tzid: string | undefined;
  readonly valueType: string | undefined;
}

const BARE_RULE: LineHead = { name: 'RRULE', tzid: undefined, valueType: undefined };

/** Each repetition has one character class, so that matching is linear. */
const EMPTY_LINE = /^\s*(?:(?:RRULE|EXRULE|RDATE|EXDATE)(?:;[^":]*)?:\s*)?$/i;

/** Most rules of one event, more than any calendar has: each is read for every window. */
const MOST_RULES = 1_000;

/**
 * Parses the recurrence properties of an event: RRULE, RDATE, EXDATE and RFC 2445's EXRULE, in any order and case,
 * with parameters, folded or not; a bare `FREQ=…` is an RRULE. Parameters other than TZID and VALUE are dropped, and so
 * are lines and properties without a value (`RRULE:`).
 * @throws RecurrenceError naming the property or rule part that cannot be read.
 * @see RFC 5545 §3.1, §3.8.5
 */
export function parseRecurrence(lines: readonly string[]): RecurrenceLines {
  const draft: Draft = { rules: [], exceptionRules: [], dates: [], exceptionDates: [], heads: new Map() };
  for (const line of unfoldedLines(lines)) readLine(draft, line);
  const { rules, exceptionRules, dates, exceptionDates } = draft;
  return { rules, exceptionRules, dates, exceptionDates };
}

/** Returns the lines with folded ones joined (RFC 5545 §3.1). */
export function unfoldedLines(lines: readonly string[]): readonly string[] {
  return lines.some(isFolded) ? unfold(lines) : lines;
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
  const text = line.trim();
  if (text === '') return;
  if (/^FREQ=/i.test(text)) readProperty(draft, BARE_RULE, compact(text));
  else {
    const colon = valueStart(text);
    readProperty(draft, headOf(draft, text.slice(0, colon)), compact(text.slice(colon + 1)));
  }
}

function readProperty(draft: Draft, head: LineHead, value: string): void {
  switch (head.name.toUpperCase()) {
    case 'RRULE':
      addRule(draft, draft.rules, 'RRULE', value);
      break;
    case 'EXRULE':
      addRule(draft, draft.exceptionRules, 'EXRULE', value);
      break;
    case 'RDATE':
      readDates(draft.dates, 'RDATE', head, value);
      break;
    case 'EXDATE':
      readDates(draft.exceptionDates, 'EXDATE', head, value);
      break;
    default:
      throw new RecurrenceError(head.name.trim() || 'recurrence', 'is none of RRULE, RDATE, EXDATE, EXRULE');
  }
}

function compact(value: string): string {
  const text = value.toUpperCase();
  return text.includes(' ') ? text.replaceAll(' ', '') : text;
}

function headOf({ heads }: Draft, text: string): LineHead {
  const known = heads.get(text);
  if (known !== undefined) return known;
  const [name = '', ...parameters] = splitOutsideQuotes(text);
  const tzid = parameterOf(parameters, 'TZID');
  const head = { name, tzid, valueType: parameterOf(parameters, 'VALUE')?.toUpperCase() };
  heads.set(text, head);
  return head;
}

function addRule(draft: Draft, into: RecurrenceRule[], part: string, value: string): void {
  if (value === '') return;
  if (draft.rules.length + draft.exceptionRules.length >= MOST_RULES) {
    throw new RecurrenceError(part, `more than ${MOST_RULES} rules are not supported`);
  }
  into.push(parseRule(value));
}

/**
 * Returns the lines without empty ones and without properties that have no value, such as `RRULE:`. A folded line keeps its
 * parts.
 */
export function writtenLines(lines: readonly string[]): readonly string[] {
  return lines.filter((line, index) => !EMPTY_LINE.test(line) || /^[ \t]+\S/.test(lines[index + 1] ?? ''));
}

/** Finds the colon before the value; quoted parameters may contain colons too. */
function valueStart(line: string): number {
  const colon = line.indexOf(':');
  const quote = line.indexOf('"');
  if (colon !== -1 && (quote === -1 || colon < quote)) return colon;
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

function readDates(into: RecurrenceDate[], part: string, { tzid, valueType }: LineHead, value: string): void {
  if (valueType !== undefined && !['DATE', 'DATE-TIME', 'PERIOD'].includes(valueType)) {
    throw new RecurrenceError(part, `VALUE=${valueType} is not supported`);
  }
  for (let from = 0, to = 0; to < value.length; from = to + 1) {
    const comma = value.indexOf(',', from);
    to = comma === -1 ? value.length : comma;
    // Trailing commas are common in real data and add nothing.
    if (from === to) continue;
    const time = timeWithin(value, from, to, tzid);
    into.push(time === undefined ? readPeriod(value.slice(from, to), part, tzid) : { time });
  }
}

function readPeriod(text: string, part: string, tzid: string | undefined): RecurrenceDate {
  if (!text.includes('/')) throw new RecurrenceError(part, `"${text}" is no date or date-time`);
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
