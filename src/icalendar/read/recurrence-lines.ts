import {
  compileSeries,
  type Frequency,
  isSubDaily,
  namedPart,
  parseRecurrence,
  type RecurrenceDate,
  RecurrenceError,
  type RecurrenceLines,
  type RecurrenceRule,
  type RecurrenceTime,
  serializeRecurrence,
  writtenLines,
} from '../../recurrence/index.ts';
import { DAY_MS, formatWall, instantOf, parseWall, resolveZone, wallAt } from '../../zones/index.ts';
import { allAtOnce, type Steps } from '../text/steps.ts';

/** Start of a series, as far as the form of its recurrence lines depends on it. */
export interface LineStart {
  /** `YYYY-MM-DDTHH:MM:SS`, or `YYYY-MM-DD` for an all-day series. */
  readonly wall: string;
  /** IANA name; of an all-day series the zone that dates UTC times. */
  readonly timeZone: string;
  /** Writes times without a zone, by the clock of `timeZone`: a series whose start floats has no others. @default false */
  readonly isFloating?: boolean;
}

/** Most dates that are read of one event, in RDATE and EXDATE each. */
const MOST_DATES = 100_000;

/** Most lines of rules that are read of one event: a series may not have more rules. */
const MOST_RULES = 1_000;
const RULE = /^\s*(?:RRULE|EXRULE|FREQ=)/i;

/** Lines, dates, or days with slots, each some microseconds, that are read in one step. */
const PER_STEP = 100;

/** Recurrence lines in canonical form, and field and rule of each that was left out. */
export interface CanonicalLines {
  readonly lines: readonly string[];
  readonly faults: readonly string[];
}

/**
 * Returns recurrence lines in the form that RFC 5545 asks for, which every server takes: UNTIL in UTC for a timed series and as a date
 * for an all-day one, RDATE and EXDATE of the type of the start, in its zone or in UTC; all floating for a start that floats. Idempotent;
 * parts of rules stay as written.
 */
export function canonicalLines(given: readonly string[], start: LineStart): CanonicalLines {
  return allAtOnce(canonicalLinesInSteps(given, start));
}

/** Returns the same in steps. */
export function* canonicalLinesInSteps(given: readonly string[], start: LineStart): Steps<CanonicalLines> {
  const rules: string[] = [];
  const dates: RecurrenceDate[] = [];
  const exceptionDates: RecurrenceDate[] = [];
  const exceptionDays = new Set<number>();
  const faults: string[] = [];
  const written = writtenLines(given);
  const areTooMany = written.filter((line) => RULE.test(line)).length > MOST_RULES;
  for (const [at, line] of written.entries()) {
    if (at % PER_STEP === 0) yield;
    if (areTooMany && RULE.test(line)) continue;
    try {
      const held = /^EX/i.test(line) ? exceptionDates : dates;
      if (held.length + line.split(',').length > MOST_DATES) {
        faults.push(`${held === dates ? 'RDATE' : 'EXDATE'} may have ${MOST_DATES} dates at most`);
        continue;
      }
      const parsed = parseRecurrence([line]);
      for (const rule of [...parsed.rules, ...parsed.exceptionRules]) rules.push(canonicalRule(line, rule, start));
      yield* addDates(parsed.dates, start, dates);
      yield* addDates(parsed.exceptionDates, start, exceptionDates);
      for (const { time } of parsed.exceptionDates) {
        if (time.form === 'date' && !isDate(start)) exceptionDays.add(time.wallMs);
      }
    } catch (error) {
      if (!(error instanceof RecurrenceError)) throw error;
      faults.push(`${namedPart(error)} cannot be read`);
    }
  }
  const isWhole = !areTooMany && isReadable(rules);
  const kept = isWhole ? rules : [];
  if (exceptionDays.size > 0) {
    const slots = yield* otherSlots(exceptionDays, kept, dates, start);
    if (exceptionDates.length + slots.length > MOST_DATES) faults.push(TOO_MANY_EXCEPTIONS);
    else for (const time of slots) exceptionDates.push({ time });
  }
  const printed = [
    ...(yield* printInSteps(dates, (some) => ({ dates: some, exceptionDates: [] }))),
    ...(yield* printInSteps(exceptionDates, (some) => ({ dates: [], exceptionDates: some }))),
  ];
  return { lines: [...kept, ...printed], faults: isWhole ? faults : [...faults, TOO_MANY] };
}

function* addDates(given: readonly RecurrenceDate[], start: LineStart, into: RecurrenceDate[]): Steps<void> {
  for (const date of given) {
    into.push(canonicalDate(date, start));
    if (into.length % PER_STEP === 0) yield;
  }
}

/** Serializes dates part by part; runs that go on in the next part stay one line. */
function* printInSteps(
  dates: readonly RecurrenceDate[],
  as: (some: readonly RecurrenceDate[]) => Pick<RecurrenceLines, 'dates' | 'exceptionDates'>,
): Steps<readonly string[]> {
  const lines: string[] = [];
  let head = '';
  for (let at = 0; at < dates.length; at += PER_STEP) {
    for (const line of serializeRecurrence({ rules: [], exceptionRules: [], ...as(dates.slice(at, at + PER_STEP)) })) {
      const own = line.slice(0, line.lastIndexOf(':') + 1);
      if (own === head) lines.push(`${lines.pop()},${line.slice(own.length)}`);
      else lines.push(line);
      head = own;
    }
    yield;
  }
  return lines;
}

/** The slots of a timed series at other times than its start on days that EXDATE names: servers take exceptions of the start's type alone. */
function* otherSlots(
  days: ReadonlySet<number>,
  rules: readonly string[],
  dates: readonly RecurrenceDate[],
  start: LineStart,
): Steps<readonly RecurrenceTime[]> {
  const added = rules.filter((line) => line.startsWith('RRULE'));
  const lines = [...added, ...serializeRecurrence({ rules: [], exceptionRules: [], dates, exceptionDates: [] })];
  const zone = start.timeZone;
  const series = compileSeries({ dtstart: start.wall, timeZone: zone, lines });
  const times: RecurrenceTime[] = [];
  for (const [at, day] of [...days].entries()) {
    if (at % PER_STEP === 0) yield;
    const ownMs = instantOf(zone, day + timeOfDay(start));
    const window = { from: instantOf(zone, day), to: instantOf(zone, day + DAY_MS), limit: MOST_DATES - times.length };
    for (const { startMs, wallMs } of series.occurrences(window)) {
      if (startMs === ownMs) continue;
      const isPlain = instantOf(zone, wallMs) === startMs;
      times.push(isPlain ? canonicalTime({ form: 'local', wallMs }, start) : { form: 'utc', wallMs: startMs });
    }
  }
  return times;
}

const TOO_MANY_EXCEPTIONS = `EXDATE may have ${MOST_DATES} dates at most`;
const TOO_MANY = 'RRULE cannot be read';

/** Each can be read, and together they may be too many. */
function isReadable(rules: readonly string[]): boolean {
  try {
    parseRecurrence(rules);
    return true;
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    return false;
  }
}

function canonicalRule(line: string, { freq, until }: RecurrenceRule, start: LineStart): string {
  const [, name = 'RRULE', value = line] = /^(RRULE|EXRULE)[^:]*:(.*)$/is.exec(line.trim()) ?? [];
  const parts = value
    .toUpperCase()
    .replaceAll(/\s/g, '')
    .split(';')
    .filter((part) => part !== '' && !part.startsWith('X-'))
    .map((part) =>
      until !== undefined && part.startsWith('UNTIL=') ? `UNTIL=${canonicalUntil(until, freq, start)}` : part,
    );
  return `${name.toUpperCase()}:${parts.join(';')}`;
}

function canonicalUntil(until: RecurrenceTime, freq: Frequency, start: LineStart): string {
  if (isDate(start)) return compactDate(dateOf(until, start));
  const untilMs = until.form === 'utc' ? until.wallMs : lastInstant(until, isSubDaily(freq), start);
  return start.isFloating === true ? compact(wallAt(start.timeZone, untilMs)) : `${compact(untilMs)}Z`;
}

function lastInstant({ form, wallMs }: RecurrenceTime, isByElapsedTime: boolean, { timeZone }: LineStart): number {
  if (form !== 'date') return instantOf(timeZone, wallMs);
  // A date includes the whole of that day, where the series is: of hours both passes of the last one, of times a gap's shifted one.
  const endMs = wallMs + DAY_MS;
  return isByElapsedTime ? instantOf(timeZone, endMs) - 1000 : instantOf(timeZone, endMs - 1000);
}

function canonicalDate(date: RecurrenceDate, start: LineStart): RecurrenceDate {
  const time = canonicalTime(date.time, start);
  if (isDate(start)) return { time };
  if (date.end !== undefined) return { time, end: canonicalTime(date.end, start) };
  return date.durationMs === undefined ? { time } : { time, durationMs: date.durationMs };
}

function canonicalTime(time: RecurrenceTime, start: LineStart): RecurrenceTime {
  if (isDate(start)) return { form: 'date', wallMs: dateOf(time, start) };
  const zoned = timeInZone(time, start);
  if (start.isFloating !== true) return zoned;
  const { form, wallMs } = zoned;
  return { form: 'local', wallMs: form === 'utc' ? wallAt(start.timeZone, wallMs) : wallMs };
}

function timeInZone(time: RecurrenceTime, start: LineStart): RecurrenceTime {
  if (time.form === 'utc') return time;
  // A date means the slot of that day.
  const wallMs = time.form === 'date' ? time.wallMs + timeOfDay(start) : time.wallMs;
  const own = time.form === 'zoned' ? (resolveZone(time.tzid ?? '') ?? start.timeZone) : start.timeZone;
  if (own !== start.timeZone || isUtc(start.timeZone)) return { form: 'utc', wallMs: instantOf(own, wallMs) };
  return { form: 'zoned', wallMs, tzid: start.timeZone };
}

/** Midnight of the date of a time; Exchange writes dates as the UTC time of local midnight. */
function dateOf(time: RecurrenceTime, start: LineStart): number {
  const day = Math.floor(time.wallMs / DAY_MS) * DAY_MS;
  const ofDay = time.wallMs - day;
  if (time.form !== 'utc' || ofDay === 0 || ofDay === DAY_MS - 1000) return day;
  return Math.floor(wallAt(start.timeZone, time.wallMs) / DAY_MS) * DAY_MS;
}

function timeOfDay({ wall }: LineStart): number {
  const wallMs = parseWall(wall)?.wallMs ?? 0;
  return wallMs - Math.floor(wallMs / DAY_MS) * DAY_MS;
}

function isDate({ wall }: LineStart): boolean {
  return wall.length === 10;
}

/** Returns true for names of UTC, whose times are written with `Z`. */
export function isUtc(zone: string): boolean {
  return /^(?:Etc\/)?(?:UTC|UCT|Zulu|Universal|GMT)$/i.test(zone);
}

/** `20260301T090000` of a wall time. */
export function compact(wallMs: number): string {
  return formatWall(wallMs).replaceAll(/[-:]/g, '');
}

function compactDate(wallMs: number): string {
  return compact(wallMs).slice(0, 8);
}
