import { RecurrenceError } from '../../../src/recurrence/index.ts';
import {
  formatDate,
  formatWall,
  instantOf,
  intlZones,
  wallAt,
  type Zones,
  zoneOfOffset,
  zoneOfTzid,
} from '../../../src/zones/index.ts';
import { type Moment, readMoment } from './moment.ts';
import type { TimeFrame } from './time-frame.ts';

/** The start of a recurrence, with its frame. */
export interface Start extends TimeFrame {
  readonly dtstart: string;
}

/** Temporal.ZonedDateTime, which brings its zone along. */
interface ZonedLike {
  readonly timeZoneId: string;
}

/**
 * Reads the start of a recurrence. Local time without a zone is floating; an instant without a zone is in UTC; a ZonedDateTime of
 * Temporal has its own zone, unless another is given.
 * @throws RecurrenceError naming `start` or `timeZone`
 */
export function readStart(start: Moment, timeZone: string | null | undefined, zones: Zones = intlZones): Start {
  const moment = readMoment(start, 'start');
  const own = typeof start === 'object' && 'timeZoneId' in start ? (start as ZonedLike).timeZoneId : undefined;
  const zone = zoneNamed(timeZone === undefined ? own : timeZone, zones);
  if (moment.kind === 'local') {
    const { dateOnly, wallMs } = moment;
    return {
      dtstart: dateOnly ? formatDate(wallMs) : formatWall(wallMs),
      timeZone: zone ?? null,
      isAllDay: dateOnly,
      zones,
    };
  }
  if (zone === null) throw new RecurrenceError('start', 'is an instant; a floating recurrence starts at a local time');
  if (zone === undefined && !moment.isUtc) {
    throw new RecurrenceError('start', 'has an offset, which is no time zone; give the time zone too');
  }
  const inZone = zone ?? 'UTC';
  const ms = Math.floor(moment.ms / 1000) * 1000;
  const wallMs = wallAt(inZone, ms, zones);
  if (instantOf(inZone, wallMs, zones) !== ms) {
    throw new RecurrenceError(
      'start',
      `is the second ${formatWall(wallMs)} of ${inZone}; a recurrence starts at the first of two equal local times`,
    );
  }
  return { dtstart: formatWall(wallMs), timeZone: inZone, isAllDay: false, zones };
}

/**
 * Returns the IANA name of a zone that a caller names; null and undefined stay.
 * @throws RecurrenceError naming `timeZone`
 */
export function zoneNamed(timeZone: string | null | undefined, zones: Zones): string | null | undefined {
  if (timeZone === null || timeZone === undefined) return timeZone;
  const zone = zoneOfTzid(timeZone, zones) ?? zoneOfOffset(timeZone, zones);
  if (zone === undefined) throw new RecurrenceError('timeZone', `"${timeZone}" is no known time zone`);
  return zone;
}
