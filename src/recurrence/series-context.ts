import { DAY_MS, intlZones, parseWall, windowsToIana, type Zones } from '../zones/index.ts';
import type { ZoneTable } from '../zones/zone-table.ts';
import { HORIZON_MS } from './calendar-rule.ts';
import { FLOATING_TABLE } from './floating-table.ts';
import type { GapPolicy, Occurrence } from './occurrence.ts';
import { RecurrenceError } from './recurrence-error.ts';
import type { RecurrenceDate, RecurrenceTime } from './recurrence-rule.ts';

/** Definition of a series. */
export interface SeriesDefinition {
  /** The wall time of the first slot, `YYYY-MM-DDTHH:MM:SS`, or `YYYY-MM-DD` for an all-day series. */
  readonly dtstart: string;
  /**
   * The zone of wall times; null for a floating series. Optional for an all-day series, where it determines the dates of UTC
   * times in UNTIL, RDATE and EXDATE.
   */
  readonly timeZone: string | null;
  /** RRULE, RDATE, EXDATE and EXRULE lines. */
  readonly lines: readonly string[];
  /** @default 'forward' */
  readonly gap?: GapPolicy;
  /** @default the runtime's own tz data */
  readonly zones?: Zones;
}

/** Parsed start and zone of a series, the context of its lines. */
export interface SeriesContext {
  readonly startWallMs: number;
  readonly isAllDay: boolean;
  readonly table: ZoneTable;
  /** Table of the zone given for an all-day series; it determines the dates of UTC times. */
  readonly dateTable: ZoneTable | undefined;
  /** Returns the table of a zone named in a line; the series' own for an unknown one (`Customized Time Zone`). */
  tableNamed(tzid: string): ZoneTable;
  readonly gap: GapPolicy;
}

/**
 * Parses the start and the zone of a series.
 * @throws RecurrenceError naming `dtstart` or `timeZone`.
 */
export function readContext(
  definition: Pick<SeriesDefinition, 'dtstart' | 'timeZone' | 'gap' | 'zones'>,
): SeriesContext {
  const start = parseWall(definition.dtstart);
  if (start === undefined)
    throw new RecurrenceError('dtstart', `"${definition.dtstart}" is no local date or date-time`);
  const { timeZone, gap = 'forward', zones = intlZones } = definition;
  const table = timeZone === null ? FLOATING_TABLE : tableOf(timeZone, zones);
  return {
    startWallMs: Math.floor(start.wallMs / 1000) * 1000,
    isAllDay: start.dateOnly,
    table: start.dateOnly ? FLOATING_TABLE : table,
    dateTable: start.dateOnly && timeZone !== null ? table : undefined,
    tableNamed: namedTables(start.dateOnly ? FLOATING_TABLE : table, zones),
    gap,
  };
}

/** Caches lookups by name: a failing lookup is slow, and thousands of dates may name the same zone. */
function namedTables(own: ZoneTable, zones: Zones): SeriesContext['tableNamed'] {
  const known = new Map<string, ZoneTable>();
  return (tzid) => {
    let table = known.get(tzid);
    if (table === undefined) {
      const zone = zoneNamed(tzid, zones);
      table = zone === undefined ? own : zones.tableOf(zone);
      known.set(tzid, table);
    }
    return table;
  };
}

/** Any name of the zone does for its table: browsers do without the spellings of `resolveZone`. */
function zoneNamed(name: string, zones: Zones): string | undefined {
  return zones.canonicalName(name) ?? windowsToIana(name);
}

function tableOf(timeZone: string, zones: Zones): ZoneTable {
  const zone = zoneNamed(timeZone, zones);
  if (zone === undefined) throw new RecurrenceError('timeZone', `"${timeZone}" is no known time zone`);
  return zones.tableOf(zone);
}

/** Returns an upper bound of the wall times that UNTIL admits; in a gap it may admit one slot too many. */
export function untilWall(context: SeriesContext, until: RecurrenceTime | undefined): number {
  if (until === undefined) return HORIZON_MS;
  // A date includes its whole day: UNTIL is inclusive (RFC 5545).
  if (until.form === 'date') return until.wallMs + DAY_MS - 1;
  if (context.isAllDay) return dateOf(context, until) + DAY_MS - 1;
  if (until.form !== 'utc') return until.wallMs;
  const span = context.table.spanAt(until.wallMs);
  return until.wallMs + span.offsetMs + span.slackMs;
}

/**
 * Returns the midnight of a value's date in an all-day series. Exchange writes such dates as the UTC time of local midnight,
 * `20260817T220000Z` for 18 August in Berlin; others write midnight or the last second of the written date.
 */
function dateOf(context: SeriesContext, time: RecurrenceTime): number {
  const day = Math.floor(time.wallMs / DAY_MS) * DAY_MS;
  const ofDay = time.wallMs - day;
  const isWritten = time.form !== 'utc' || ofDay === 0 || ofDay === DAY_MS - 1000;
  if (isWritten || context.dateTable === undefined) return day;
  return Math.floor((time.wallMs + context.dateTable.spanAt(time.wallMs).offsetMs) / DAY_MS) * DAY_MS;
}

/**
 * Returns the last instant that UNTIL admits of slots by elapsed time: a date ends at the next midnight, after both passes of its last
 * hour, and before slots by the clock that a gap shifts over it.
 */
export function lastInstant(context: SeriesContext, until: RecurrenceTime | undefined): number {
  return until?.form === 'date' ? resolved(context, until.wallMs + DAY_MS).startMs - 1 : untilInstant(context, until);
}

/** Returns the last instant that UNTIL admits of slots by the clock. */
export function untilInstant(context: SeriesContext, until: RecurrenceTime | undefined): number {
  if (until === undefined) return Number.POSITIVE_INFINITY;
  if (until.form === 'utc' && !context.isAllDay) return until.wallMs;
  const wall = untilWall(context, until);
  return wall - context.table.spanOfWall(wall).offsetMs;
}

export function resolved(context: SeriesContext, wallMs: number): Occurrence {
  return { startMs: wallMs - context.table.spanOfWall(wallMs).offsetMs, wallMs };
}

/** Returns the instant of a local time, and its second one where the clocks repeat it. */
export function startsOfWall({ table }: SeriesContext, wallMs: number): readonly [number, number?] {
  const { offsetMs, toMs } = table.spanOfWall(wallMs);
  const again = wallMs - table.spanAt(toMs).offsetMs;
  return again < toMs ? [wallMs - offsetMs] : [wallMs - offsetMs, again];
}

/** Returns the occurrence of a date-time in any form, in the zone of the series. */
export function timeOccurrence(context: SeriesContext, time: RecurrenceTime): Occurrence {
  const day = dateOf(context, time);
  if (context.isAllDay) return { startMs: day, wallMs: day };
  if (time.form === 'date') return resolved(context, day + (context.startWallMs % DAY_MS));
  if (time.form === 'local' || context.table === FLOATING_TABLE) return resolved(context, time.wallMs);
  const startMs = time.tzid === undefined ? time.wallMs : zonedInstant(context, time.wallMs, time.tzid);
  return { startMs, wallMs: startMs + context.table.spanAt(startMs).offsetMs };
}

function zonedInstant(context: SeriesContext, wallMs: number, tzid: string): number {
  return wallMs - context.tableNamed(tzid).spanOfWall(wallMs).offsetMs;
}

export function dateOccurrence(context: SeriesContext, date: RecurrenceDate): Occurrence {
  const occurrence = timeOccurrence(context, date.time);
  if (date.durationMs !== undefined) return { ...occurrence, durationMs: date.durationMs };
  if (date.end === undefined) return occurrence;
  return { ...occurrence, durationMs: timeOccurrence(context, date.end).startMs - occurrence.startMs };
}
