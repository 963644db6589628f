import { invalid } from '../../errors.ts';
import type { EventDateTimeInput } from '../../model/index.ts';
import type { EventContent } from '../../ports/index.ts';
import {
  DAY_MS,
  formatDate,
  formatInstant,
  formatWall,
  instantOf,
  instantOfText,
  nominalWallOf,
  resolveZone,
  type WrittenTime,
  wallAt,
  wallOfText,
} from '../../zones/index.ts';
import { hasFraction, inputTimeRule, parseInputTime, requireZone } from './input-time.ts';

const HOUR_MS = 3_600_000;
/** Instants with a four-digit year in every zone: 0001-01-02 to 9999-12-31, in UTC. */
const EARLIEST_MS = -62_135_510_400_000;
const LATEST_MS = 253_402_214_400_000;

/** The parts of a body that say when an event happens. */
interface TimesInput {
  readonly start?: EventDateTimeInput | undefined;
  /** Null: the default length. */
  readonly end?: EventDateTimeInput | null | undefined;
  readonly isAllDay?: boolean | undefined;
}

/** Times in the form that the provider port takes. */
export interface EventTimes {
  readonly start: { readonly dateTime: string; readonly timeZone: string };
  readonly end: { readonly dateTime: string; readonly timeZone: string };
  readonly isAllDay: boolean;
}

interface Point extends WrittenTime {
  readonly path: `${'start' | 'end'}.${'date' | 'dateTime'}`;
  /** As it was named, resolved to IANA; undefined when it was not. */
  readonly zone: string | undefined;
  /** Whether it is written in UTC: an instant, that means no wall time of another zone. */
  readonly isUtc: boolean;
}

/**
 * Returns an event's times: those of a body laid over the stored event, if there is one. An end that is left out is
 * one hour after the start, one day for an all-day event; on update it stays where it is. `isSeries`: they are those of a
 * series, whose occurrences have its time of day and its length.
 * @throws KalendsError InvalidRequest naming the field: unknown zone, malformed date, end before start; in a series also a
 * start or an end that the clocks skip
 */
export function resolveTimes(
  input: TimesInput,
  current: EventContent | undefined,
  calendarZone: string,
  isSeries = false,
): EventTimes {
  const start = input.start === undefined ? undefined : readPoint('start', input.start);
  const end = input.end === undefined || input.end === null ? undefined : readPoint('end', input.end);
  const kept = input.end === undefined ? current : undefined;
  const isAllDay = decideAllDay(input.isAllDay, start, end, current);
  if (isAllDay) return allDayTimes(start, end, current, kept, calendarZone);
  const [from, to] = timedPoints(start, end, current, kept, calendarZone);
  if (isSeries) for (const [field, point] of Object.entries({ start: from, end: to })) requireShown(field, point);
  const written = ({ ms, zone, text = formatInstant(zone, ms) }: ZonedInstant) => ({ dateTime: text, timeZone: zone });
  return { start: written(from), end: written(to), isAllDay };
}

function readPoint(field: 'start' | 'end', { dateTime, date, timeZone }: EventDateTimeInput): Point {
  const path = `${field}.${date === undefined ? 'dateTime' : 'date'}` as const;
  const text = date ?? dateTime ?? '';
  const written = parseInputTime(text);
  if (written === undefined) throw invalid(path, inputTimeRule(text));
  if (date !== undefined && !written.dateOnly) throw invalid(path, 'must be a date such as 2026-03-01');
  // Recurrence works in whole seconds: a fraction would be cut.
  if (hasFraction(text)) throw invalid(path, 'must be in whole seconds');
  const isNamed = timeZone !== undefined && timeZone !== null;
  const zone = isNamed ? requireZone(`${field}.timeZone`, timeZone) : undefined;
  return { ...written, path, zone, isUtc: text.endsWith('Z') || text.endsWith('z') };
}

function decideAllDay(
  explicit: boolean | undefined,
  start: Point | undefined,
  end: Point | undefined,
  current: EventContent | undefined,
): boolean {
  if (explicit !== undefined) return explicit;
  const points = [start, end].filter((point) => point !== undefined);
  if (points.some(({ dateOnly }) => dateOnly)) return true;
  if (current?.isAllDay !== true) return false;
  const timed = points.find(({ wallMs, offsetMs }) => offsetMs !== undefined || wallMs % DAY_MS !== 0);
  if (timed !== undefined) throw invalid(timed.path, 'is a time: send isAllDay false to make the event timed');
  return true;
}

/** Times of an all-day event; `kept` is the stored event if its end stays where it is. */
function allDayTimes(
  start: Point | undefined,
  end: Point | undefined,
  current: EventContent | undefined,
  kept: EventContent | undefined,
  calendarZone: string,
): EventTimes {
  const days = current && currentDays(current, calendarZone);
  const startMs = requireStart(start === undefined ? days?.start : dateOf(start));
  let endMs = startMs + DAY_MS;
  if (end !== undefined) endMs = dateOf(end);
  else if (kept !== undefined && (kept.isAllDay || start === undefined)) endMs = currentDays(kept, calendarZone).end;
  if (endMs <= startMs && end === undefined) throw leftBehind(formatDate(endMs));
  if (endMs <= startMs) throw invalid('end', 'must be after start: the end of an all-day event is exclusive');
  checkYears(startMs, endMs);
  const point = (ms: number) => ({ dateTime: formatWall(ms), timeZone: '' });
  return { start: point(startMs), end: point(endMs), isAllDay: true };
}

/** Only a stored event may leave its start out. */
function requireStart<Start>(start: Start | undefined): Start {
  if (start === undefined) throw invalid('start', 'is required');
  return start;
}

/** The end of an event whose start alone was sent. */
function leftBehind(end: string) {
  return invalid('end', `stays at ${end} when it is not sent, which is not after the new start: send end too`);
}

function checkYears(startMs: number, endMs: number): void {
  const rule = 'must lie between the years 1 and 9999';
  if (startMs < EARLIEST_MS || startMs > LATEST_MS) throw invalid('start.dateTime', rule);
  if (endMs > LATEST_MS) throw invalid('end', rule);
}

function dateOf({ wallMs, path }: Point): number {
  if (wallMs % DAY_MS !== 0) throw invalid(path, 'must be a date, or midnight, of an all-day event');
  return wallMs;
}

/** The days that the stored event covers, as midnights as if in UTC, the end exclusive. */
function currentDays(current: EventContent, calendarZone: string): { readonly start: number; readonly end: number } {
  if (current.isAllDay) return { start: wallOfText(current.start.dateTime), end: wallOfText(current.end.dateTime) };
  const zone = resolveZone(current.start.timeZone) ?? calendarZone;
  const dayOf = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;
  const start = dayOf(wallAt(zone, instantOfText(current.start.dateTime, zone)));
  const end = wallAt(zone, instantOfText(current.end.dateTime, zone));
  return { start, end: Math.max(start + DAY_MS, dayOf(end + DAY_MS - 1)) };
}

/** Start and end of a timed event; `kept` as above. */
function timedPoints(
  start: Point | undefined,
  end: Point | undefined,
  current: EventContent | undefined,
  kept: EventContent | undefined,
  calendarZone: string,
): readonly [ZonedInstant, ZonedInstant] {
  const now = current === undefined ? undefined : currentPoints(current, calendarZone);
  const from = requireStart(start === undefined ? now?.start : resolvePoint(start, now?.start, calendarZone));
  const isFlip = current?.isAllDay === true;
  const to =
    end !== undefined
      ? resolvePoint(end, now?.end, start?.zone ?? calendarZone)
      : kept !== undefined && !(isFlip && start !== undefined)
        ? currentPoints(kept, calendarZone).end
        : hourAfter(from);
  if (to.ms < from.ms && end === undefined) throw leftBehind(formatInstant(to.zone, to.ms));
  if (to.ms < from.ms) throw invalid('end', 'must not be before start');
  checkYears(from.ms, to.ms);
  return [from, to];
}

function hourAfter({ ms, zone }: ZonedInstant): ZonedInstant {
  return { ms: ms + HOUR_MS, zone, wallMs: wallAt(zone, ms) + HOUR_MS };
}

/** A provider is told an instant, from which it would take another time of day, or length, for the whole series. */
function requireShown(field: string, { ms, zone, wallMs }: ZonedInstant): void {
  if (wallMs === undefined || instantOf(zone, wallMs) !== ms || wallAt(zone, ms) === wallMs) return;
  const rule = `the clocks skip ${formatWall(wallMs)} (${zone}): no series can start or end there`;
  throw invalid(field, `${rule}; take another day, or ${formatInstant(zone, ms)} for all occurrences`);
}

interface ZonedInstant {
  readonly ms: number;
  readonly zone: string;
  /** The wall time that was meant, where one was. */
  readonly wallMs?: number;
  /** As a stored series has it, where that is no time that the clocks show. */
  readonly text?: string;
}

function resolvePoint(point: Point, now: ZonedInstant | undefined, otherZone: string): ZonedInstant {
  const { path, dateOnly, wallMs, offsetMs, isUtc } = point;
  if (dateOnly) throw invalid(path, 'must be a date-time: a plain date needs isAllDay true');
  const zone = point.zone ?? (offsetMs === undefined ? undefined : now?.zone) ?? otherZone;
  const ms = offsetMs === undefined ? instantOf(zone, wallMs) : wallMs - offsetMs;
  // However it is written, it is the time that the series has.
  if (now?.text !== undefined && now.ms === ms && now.zone === zone) return now;
  return isUtc ? { ms, zone } : { ms, zone, wallMs };
}

function currentPoints(current: EventContent, calendarZone: string): { start: ZonedInstant; end: ZonedInstant } {
  const point = ({ dateTime, timeZone }: EventContent['start']): ZonedInstant => {
    if (current.isAllDay) return { ms: instantOf(calendarZone, wallOfText(dateTime)), zone: calendarZone };
    const zone = resolveZone(timeZone) ?? calendarZone;
    const ms = instantOfText(dateTime, zone);
    return nominalWallOf(zone, dateTime) === wallAt(zone, ms) ? { ms, zone } : { ms, zone, text: dateTime };
  };
  return { start: point(current.start), end: point(current.end) };
}
