import { compileSeries, namedPart, parseRecurrence, RecurrenceError, writtenLines } from 'kalends/recurrence';
import { instantOf, parseWall, resolveZone } from 'kalends/zones';
import { offsetOf } from './event-time.ts';
import { NO_TEXT } from './event-wire.ts';

/** Start of a series: wall time in its zone, or a date. */
export interface Dtstart {
  /** `YYYY-MM-DDTHH:MM:SS`, or `YYYY-MM-DD` for an all-day series. */
  readonly dtstart: string;
  /** Null for an all-day series. */
  readonly timeZone: string | null;
}

/** A line that cannot be read. */
export interface UnreadableLine {
  readonly line: string;
  /** Names the part at fault; shows no value. */
  readonly part: string;
  readonly reason: string;
}

/** The recurrence of a series as RFC 5545 lines that mean what Google shows. */
export interface ReadRecurrence {
  readonly lines: readonly string[];
  /** Lines that are passed over. */
  readonly unreadable: readonly UnreadableLine[];
}

const DATE_VALUE = /^\d{8}Z?$/i;

/**
 * Returns the lines of a series in terms of RFC 5545. A line that cannot be read costs that line alone: the event keeps the
 * others, and its start.
 */
export function readRecurrence(lines: readonly string[], series: Dtstart): ReadRecurrence {
  const unreadable: UnreadableLine[] = [];
  const read = unfolded(writtenLines(lines)).flatMap((line) => {
    try {
      return readLine(line, series);
    } catch (error) {
      if (!(error instanceof RecurrenceError)) throw error;
      unreadable.push({ line, part: line === NO_TEXT ? line : namedPart(error), reason: error.message });
      return [];
    }
  });
  return { lines: withStart(read, series), unreadable };
}

function unfolded(lines: readonly string[]): readonly string[] {
  return lines
    .join('\n')
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function readLine(text: string, series: Dtstart): readonly string[] {
  // Google writes some lists of dates as `RRULE:DATE;TZID=…` (allenporter/gcal_sync#327).
  const line = text.replace(/^(?:RRULE:)?DATE(?=[;:])/i, 'RDATE');
  const read = /^(?:RDATE|EXDATE)[;:]/i.test(line) ? readDates(line, series) : readRule(line, series);
  if (read !== undefined) parseRecurrence([read]);
  return read === undefined ? [] : [read];
}

/** Reads a rule. Any other line is left to the parser, which refuses it. */
function readRule(line: string, { dtstart }: Dtstart): string {
  const [, head = '', value] = /^((?:RRULE|EXRULE)[^:]*:|(?=FREQ=))(.*)$/i.exec(line) ?? [];
  if (value === undefined) return line;
  const parts = value.split(';').filter((part) => part !== '');
  const distinct = parts.filter((part, index) => parts.findIndex((other) => isSameText(other, part)) === index);
  const month = Number(dtstart.slice(5, 7));
  return `${head === '' ? 'RRULE:' : head}${onceAYear(distinct, month).join(';')}`;
}

/**
 * Adds the month to `FREQ=YEARLY;BYMONTHDAY=…`: at Google that is once a year, in the month of the start, and Google writes it
 * itself. In RFC 5545 it is every month (allenporter/gcal_sync#179, home-assistant/core#85373).
 */
function onceAYear(parts: readonly string[], month: number): readonly string[] {
  const has = (pattern: RegExp) => parts.some((part) => pattern.test(part));
  if (!has(/^FREQ=YEARLY$/i) || has(/^BYMONTH=/i)) return parts;
  return parts.flatMap((part) => (/^BYMONTHDAY=/i.test(part) ? [`BYMONTH=${month}`, part] : [part]));
}

/** Returns an RDATE or EXDATE line; undefined for one without effect at Google. */
function readDates(line: string, { timeZone }: Dtstart): string | undefined {
  // A zone such as `GMT+01:00` has a colon of its own; values have none.
  const colon = line.lastIndexOf(':');
  const [property = '', ...parameters] = line.slice(0, colon).split(';');
  const name = property.toUpperCase();
  const values = line.slice(colon + 1).split(',');
  if (timeZone === null) return `${name};VALUE=DATE:${values.map((value) => value.trim().slice(0, 8)).join(',')}`;
  // At Google a date excludes nothing from a timed series.
  const effective = name === 'EXDATE' ? values.filter((value) => !DATE_VALUE.test(value.trim())) : values;
  if (effective.length === 0) return undefined;
  const tzid = parameters
    .find((parameter) => /^TZID=/i.test(parameter))
    ?.slice(5)
    .replaceAll('"', '');
  if (tzid === undefined || resolveZone(tzid) !== undefined) return `${line.slice(0, colon)}:${effective.join(',')}`;
  const offset = offsetOf(tzid);
  if (offset === undefined) throw new RecurrenceError(name, `"${tzid}" is no known time zone`);
  return `${name}:${effective.map((value) => inUtc(value.trim(), offset * 60_000)).join(',')}`;
}

function inUtc(value: string, offsetMs: number): string {
  const [, year, month, day, time] = /^(\d{4})(\d{2})(\d{2})T(\d{6})$/.exec(value) ?? [];
  const wall =
    time === undefined ? undefined : parseWall(`${year}-${month}-${day}T${time.replace(/(..)(..)/, '$1:$2:')}`);
  if (wall === undefined) return value;
  return `${new Date(wall.wallMs - offsetMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
}

/**
 * Adds the start to lines whose rule does not produce it: Google shows it as an occurrence that COUNT does not count
 * (googleapis/google-api-nodejs-client#2214, fmeringdal/rust-rrule#119). A series whose every line is unreadable has it alone. One
 * whose rule ended before it shows nothing: Google leaves such series behind (sabre-io/vobject#371).
 */
function withStart(lines: readonly string[], series: Dtstart): readonly string[] {
  const added = lines.filter((line) => /^R(?:RULE|DATE)/i.test(line));
  // Without a rule the start is an occurrence in RFC 5545 too.
  const rules = added.filter((line) => /^RRULE/i.test(line));
  const isComplete = rules.every((rule) => hasEnded(rule, series)) || produces(added, series);
  if (lines.length > 0 && isComplete) return lines;
  const text = series.dtstart.replaceAll(/[-:]/g, '');
  const head = series.timeZone === null ? 'RDATE;VALUE=DATE' : `RDATE;TZID=${series.timeZone}`;
  return [...lines, `${head}:${text}`];
}

/** Tells whether the UNTIL of a rule is before the start: a daily rule with it does not even produce that. */
function hasEnded(rule: string, series: Dtstart): boolean {
  const [, until] = /[:;](UNTIL=[^;]+)/i.exec(rule) ?? [];
  return until !== undefined && !produces([`RRULE:FREQ=DAILY;${until}`], series);
}

function produces(lines: readonly string[], series: Dtstart): boolean {
  const compiled = compileSeries({ ...series, lines });
  const startMs = series.timeZone === null ? compiled.dtstartMs : instantOf(series.timeZone, compiled.dtstartMs);
  return compiled.slotAt(startMs) !== undefined;
}

function isSameText(a: string, b: string): boolean {
  return a.toUpperCase() === b.toUpperCase();
}
