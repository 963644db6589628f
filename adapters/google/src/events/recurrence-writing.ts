import type { EventDateTime } from 'kalends/model';
import { writtenLines } from 'kalends/recurrence';
import { DAY_MS, formatWall, instantOf, parseWall, resolveZone } from 'kalends/zones';
import { unsupported } from '../transport/google-failure.ts';

/** Start of a series, as far as its recurrence lines depend on it. */
export interface SeriesStart {
  readonly start: EventDateTime;
  readonly isAllDay: boolean;
}

const TAKEN = new Set(['RRULE', 'EXRULE', 'RDATE', 'EXDATE']);
/** Matches the head of a line up to its colon; a quoted parameter may contain colons too. */
const HEAD = /^[^":]*(?:"[^"]*"[^":]*)*:/;
const EVERY_MONTH = 'BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12';
const VALUE = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/;

/**
 * Returns recurrence lines in Google's form: UNTIL in UTC for timed series and a date for all-day ones, EXDATE and RDATE
 * values of the type of the start, local ones with their zone. Lines in that form stay as written.
 * @throws ProviderError unsupported, naming `recurrence`, for lines that Google does not know
 * @see https://developers.google.com/workspace/calendar/api/concepts/events-calendars#recurrence_rule
 */
export function writeRecurrence(lines: readonly string[], series: SeriesStart): readonly string[] {
  return writtenLines(lines)
    .map((line) => line.replaceAll(/\r?\n[ \t]/g, '').trim())
    .map((line) => writeLine(line, series));
}

function writeLine(line: string, series: SeriesStart): string {
  if (/^FREQ=/i.test(line)) return `RRULE:${writeRule(line, series)}`;
  const colon = (HEAD.exec(line)?.[0].length ?? 0) - 1;
  if (colon < 0) throw unsupported('recurrence', `"${line}" is no recurrence line`);
  const [name = '', ...parameters] = line.slice(0, colon).split(';');
  const property = name.toUpperCase();
  const value = line.slice(colon + 1);
  if (!TAKEN.has(property)) throw unsupported('recurrence', `${name} is none of RRULE, EXRULE, RDATE and EXDATE`);
  // Google refuses parameters before a rule (`RRULE;X-…:`); they do not affect it.
  if (property.endsWith('RULE')) return `${property}:${writeRule(value, series)}`;
  return writeDates(property, parameters, value, series);
}

function writeRule(rule: string, series: SeriesStart): string {
  const parts = rule
    .split(';')
    .map((part) => (/^UNTIL=/i.test(part) ? `UNTIL=${writeUntil(part.slice(6).trim(), series)}` : part));
  return inEveryMonth(parts).join(';');
}

/**
 * Lists the months of `FREQ=YEARLY;BYMONTHDAY=…`, which is every month in RFC 5545 and once a year at Google (see
 * recurrence-reading). A numbered weekday counts in the year without months and in the month with them.
 */
function inEveryMonth(parts: readonly string[]): readonly string[] {
  const has = (pattern: RegExp) => parts.some((part) => pattern.test(part.replaceAll(' ', '')));
  if (!has(/^FREQ=YEARLY$/i) || !has(/^BYMONTHDAY=/i) || has(/^BYMONTH=/i)) return parts;
  if (has(/^BYDAY=.*\d/i)) {
    const rule = parts.join(';');
    throw unsupported('recurrence', `"${rule}" has a numbered BYDAY beside BYMONTHDAY, without BYMONTH`);
  }
  return parts.flatMap((part) => (/^BYMONTHDAY=/i.test(part) ? [EVERY_MONTH, part] : [part]));
}

function writeUntil(text: string, { start, isAllDay }: SeriesStart): string {
  const value = readValue(text);
  if (isAllDay) return compactDate(value.wallMs);
  if (value.form === 'utc') return text.toUpperCase();
  // A date includes its whole day.
  const wallMs = value.form === 'date' ? value.wallMs + DAY_MS - 1000 : value.wallMs;
  return `${compact(instantOf(start.timeZone, wallMs))}Z`;
}

function writeDates(
  property: string,
  parameters: readonly string[],
  text: string,
  { start, isAllDay }: SeriesStart,
): string {
  const values = text.split(',').filter((value) => value !== '');
  if (isAllDay) {
    const dates = values.map((value) => compactDate(readValue(value.split('/')[0] ?? '').wallMs));
    return `${property};VALUE=DATE:${dates.join(',')}`;
  }
  const tzid = parameters.find((parameter) => /^TZID=/i.test(parameter))?.slice(5);
  // Google takes a zone that it does not know, such as a Windows name, for UTC.
  const zone = (tzid === undefined ? undefined : resolveZone(tzid.replaceAll('"', ''))) ?? start.timeZone;
  if (parameters.some((parameter) => /^VALUE=PERIOD$/i.test(parameter))) {
    return `${property};VALUE=PERIOD:${values.map((value) => utcPeriod(value, zone)).join(',')}`;
  }
  const read = values.map(readValue);
  if (read.every((value) => value.form === 'utc')) return `${property}:${values.join(',').toUpperCase()}`;
  const timeOfDay = read.some((value) => value.form === 'date') ? timeOfDayMs(start) : 0;
  if (read.every((value) => value.form !== 'utc')) {
    // A plain date means the occurrence of that day.
    const local = read.map((value) => compact(value.form === 'date' ? value.wallMs + timeOfDay : value.wallMs));
    return `${property};TZID=${zone}:${local.join(',')}`;
  }
  return `${property}:${read.map((value) => utcText(value, zone)).join(',')}`;
}

/** A period of RDATE, its times in UTC; a length stays as it is. */
function utcPeriod(text: string, zone: string): string {
  const parts = text.toUpperCase().split('/');
  return parts.map((part) => (/^\s*\+?P/.test(part) ? part.trim() : utcText(readValue(part), zone))).join('/');
}

function utcText({ form, wallMs }: Value, zone: string): string {
  return `${compact(form === 'utc' ? wallMs : instantOf(zone, wallMs))}Z`;
}

function timeOfDayMs(start: EventDateTime): number {
  const wallMs = parseWall(start.dateTime.slice(0, 19))?.wallMs ?? 0;
  return wallMs - Math.floor(wallMs / DAY_MS) * DAY_MS;
}

interface Value {
  readonly form: 'date' | 'local' | 'utc';
  readonly wallMs: number;
}

function readValue(text: string): Value {
  const match = VALUE.exec(text.trim().toUpperCase());
  const [, year, month, day, hour, minute, second, z] = match ?? [];
  const clock = hour === undefined ? '' : `T${hour}:${minute}:${second}`;
  const wall = match === null ? undefined : parseWall(`${year}-${month}-${day}${clock}`);
  if (wall === undefined) throw unsupported('recurrence', `"${text}" is no date or date-time`);
  return { form: wall.dateOnly ? 'date' : z === 'Z' ? 'utc' : 'local', wallMs: wall.wallMs };
}

const compact = (wallMs: number): string => formatWall(wallMs).replaceAll(/[-:]/g, '');
const compactDate = (wallMs: number): string => compact(wallMs).slice(0, 8);
