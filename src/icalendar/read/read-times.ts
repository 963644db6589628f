import type { EventContent, RecurrenceId } from '../../ports/index.ts';
import { unreadableField } from '../../ports/index.ts';
import {
  DAY_MS,
  formatDate,
  formatInstant,
  formatOffset,
  formatWall,
  type IcsZones,
  instantOf,
  wallAt,
} from '../../zones/index.ts';
import { type IcsComponent, propertyOf, wordOf } from '../text/component.ts';
import {
  dateOf,
  type IcsDuration,
  type IcsTime,
  inZone,
  isDate,
  readDuration,
  readDurationParts,
  timeOfProperty,
  wallMs,
} from './ics-times.ts';

/** Start and end of an event in its content. */
export type ContentTimes = Pick<EventContent, 'start' | 'end' | 'isAllDay'>;

/** Start of a component: wall time, and its zone. */
export interface ComponentStart {
  /** `YYYY-MM-DDTHH:MM:SS`, or `YYYY-MM-DD` if all-day. */
  readonly wall: string;
  /** IANA name; the calendar's for floating times and dates. */
  readonly timeZone: string;
}

/**
 * Maps DTSTART with DTEND or DURATION. Floating times are in the calendar's zone. Without an end an event lasts no time, an all-day one a
 * day (RFC 5545 §3.6.1); so does one whose end is before its start. A time of a series that the clocks skip is kept as it is written,
 * with the offset before the gap, since its other occurrences are at that time.
 * @throws ProviderError unreadable, naming DTSTART
 */
export function readTimes(component: IcsComponent, zones: IcsZones): ContentTimes {
  const start = readStart(component, zones);
  const end = timeOfProperty(propertyOf(component, 'dtend'), zones);
  if (isDate(start)) return allDayTimes(component, start, end, zones);
  const isSeries = ['rrule', 'rdate'].some((name) => propertyOf(component, name) !== undefined);
  const startZone = start.timeZone ?? zones.calendarZone;
  const startWallMs = wallMs(start.wall);
  const startMs = instantOf(startZone, startWallMs);
  // The first occurrence takes its end along over a gap, as any other does.
  const lateMs = isSeries ? wallAt(startZone, startMs) - startWallMs : 0;
  const endZone = end === undefined || isDate(end) ? startZone : (end.timeZone ?? startZone);
  const duration = readDurationParts(propertyOf(component, 'duration')?.raw ?? '') ?? { days: 0, elapsedMs: 0 };
  const lengthMs = duration.days * DAY_MS + duration.elapsedMs;
  const endWallMs = lateMs + (end === undefined ? startWallMs + lengthMs : wallMs(end.wall));
  // A DURATION is the length of every occurrence (§3.8.5.3): the first has it by the clock, as the others do.
  const isElapsed = end === undefined && !isSeries;
  const endMs = isElapsed ? endOfSingle(duration, startZone, startMs) : instantOf(endZone, endWallMs);
  const point = (zone: string, epochMs: number, nominalMs: number) => ({
    dateTime: isSeries ? formatNominal(zone, epochMs, nominalMs) : formatInstant(zone, epochMs),
    timeZone: zone,
  });
  return {
    start: point(startZone, startMs, startWallMs),
    end: point(endZone, Math.max(startMs, endMs), endWallMs),
    isAllDay: false,
  };
}

/** The days of a duration come first, then its elapsed time. */
function endOfSingle({ days, elapsedMs }: IcsDuration, zone: string, startMs: number): number {
  const afterDays = days === 0 ? startMs : instantOf(zone, wallAt(zone, startMs) + days * DAY_MS);
  return afterDays + elapsedMs;
}

function formatNominal(zone: string, epochMs: number, nominalMs: number): string {
  if (instantOf(zone, nominalMs) !== epochMs) return formatInstant(zone, epochMs);
  return formatWall(nominalMs) + formatOffset(nominalMs - epochMs);
}

function allDayTimes(component: IcsComponent, start: IcsTime, end: IcsTime | undefined, zones: IcsZones): ContentTimes {
  const durationMs = readDuration(propertyOf(component, 'duration')?.raw ?? '');
  const fallback = formatDate(wallMs(start.wall) + Math.max(1, Math.ceil((durationMs ?? 0) / DAY_MS)) * DAY_MS);
  const written = end === undefined ? undefined : dateOf(end, zones.calendarZone);
  const last = written !== undefined && written > start.wall ? written : fallback;
  const day = (date: string) => ({ dateTime: `${date}T00:00:00`, timeZone: '' });
  return { start: day(start.wall), end: day(last), isAllDay: true };
}

/** Reads DTSTART. Exchange also writes all-day events as midnights, and says so. */
function readStart(component: IcsComponent, zones: IcsZones): IcsTime {
  const start = timeOfProperty(propertyOf(component, 'dtstart'), zones);
  if (start === undefined) throw unreadableField('DTSTART', 'must be a date or a date-time of the years 1 to 9999');
  const end = timeOfProperty(propertyOf(component, 'dtend'), zones);
  const isMidnights = start.wall.endsWith('T00:00:00') && (end === undefined || end.wall.endsWith('T00:00:00'));
  const isAllDay = isMidnights && wordOf(component, 'x-microsoft-cdo-alldayevent') === 'TRUE';
  return isAllDay ? { wall: start.wall.slice(0, 10), timeZone: null } : start;
}

/** Returns the start of a component as wall time. @throws ProviderError unreadable */
export function startOf(component: IcsComponent, zones: IcsZones): ComponentStart {
  const { wall, timeZone } = readStart(component, zones);
  return { wall, timeZone: timeZone ?? zones.calendarZone };
}

/**
 * Maps RECURRENCE-ID, whatever form the text gives it: a date in an all-day series, else the instant of the slot. A date in a timed series
 * is that day's slot, a floating time one in the zone of the series.
 * @throws ProviderError unreadable
 */
export function readSlot(component: IcsComponent, series: ComponentStart, zones: IcsZones): RecurrenceId {
  const property = propertyOf(component, 'recurrence-id');
  const slot = timeOfProperty(property, zones);
  if (slot === undefined) throw unreadableField('RECURRENCE-ID', 'must be a date or a date-time');
  // THISANDPRIOR was dropped from RFC 2445 to RFC 5545.
  if (!['THISANDFUTURE', undefined].includes(property?.parameters['range']?.toUpperCase())) {
    throw unreadableField('RECURRENCE-ID', 'RANGE must be THISANDFUTURE');
  }
  if (series.wall.length === 10) return { kind: 'date', date: dateOf(slot, series.timeZone) };
  const wall = isDate(slot) ? `${slot.wall}T${series.wall.slice(11)}` : inZone(slot, series.timeZone, series.timeZone);
  const zone = slot.timeZone ?? series.timeZone;
  return {
    kind: 'instant',
    startMs: isDate(slot) ? instantOf(series.timeZone, wallMs(wall)) : instantOf(zone, wallMs(slot.wall)),
  };
}
