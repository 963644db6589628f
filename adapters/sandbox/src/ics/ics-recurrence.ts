import { dateOf, type IcsProperty, type IcsTime, inZone, isDate, readIcsTime, wallMs } from 'kalends/icalendar';
import { compileSeries, RecurrenceError, writtenLines } from 'kalends/recurrence';
import { formatWall, type IcsZones, instantOf } from 'kalends/zones';

const NAMES = ['rrule', 'exrule', 'rdate', 'exdate'];

/**
 * The recurrence lines of a component in the one form that servers take: UNTIL in UTC for timed series and as a date
 * for all-day ones, EXDATE and RDATE values in the form of the start. A line that no rule of RFC 5545 allows is told to
 * `report` and left out.
 */
export function readRecurrence(
  properties: readonly IcsProperty[],
  start: IcsTime,
  zones: IcsZones,
  report: (problem: string) => void,
): string[] {
  const given = properties
    .filter((property) => NAMES.includes(property.name))
    .map((property) =>
      property.name.endsWith('rule')
        ? `${property.name.toUpperCase()}:${normalizeRule(property.raw, start, zones)}`
        : dateLine(property, start, zones),
    )
    .filter((line) => line !== undefined);
  const lines = writtenLines(given).filter((line) => isReadable(line, start, zones, report));
  return lines.some((line) => line.startsWith('RRULE') || line.startsWith('RDATE')) ? lines : [];
}

function isReadable(line: string, start: IcsTime, zones: IcsZones, report: (problem: string) => void): boolean {
  try {
    const timeZone = isDate(start) ? null : (start.timeZone ?? zones.calendarZone);
    compileSeries({ dtstart: start.wall, timeZone, lines: [line] });
    return true;
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    report(`left out ${line}: ${error.message}`);
    return false;
  }
}

function normalizeRule(raw: string, start: IcsTime, zones: IcsZones): string {
  return raw
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^X-/i.test(part))
    .map((part) => {
      const [name = '', value = ''] = part.split('=', 2);
      return name.toUpperCase() === 'UNTIL' ? `UNTIL=${until(value, start, zones)}` : part.toUpperCase();
    })
    .join(';');
}

function until(value: string, start: IcsTime, zones: IcsZones): string {
  const zone = start.timeZone ?? zones.calendarZone;
  const time = readIcsTime(value, undefined, zones);
  if (time === undefined) return value;
  if (isDate(start)) return basicStamp(dateOf(time, zones.calendarZone));
  // A date as the end of a timed series includes that whole day, where the series is.
  if (isDate(time)) return utcStamp(`${time.wall}T23:59:59`, zone);
  return time.timeZone === 'UTC' ? `${basicStamp(time.wall)}Z` : utcStamp(time.wall, zone);
}

function dateLine(property: IcsProperty, start: IcsTime, zones: IcsZones): string | undefined {
  const stamps = property.raw
    .split(',')
    .map((text) => text.split('/')[0] ?? '')
    .map((text) => readIcsTime(text, property.parameters['tzid'], zones))
    .filter((time) => time !== undefined)
    .map((time) => stampLike(time, start, zones));
  if (stamps.length === 0) return undefined;
  const name = property.name.toUpperCase();
  return isDate(start) ? `${name};VALUE=DATE:${stamps.join(',')}` : `${name}:${stamps.join(',')}`;
}

/** A date in a list of a timed series means that day's slot; a floating time is read where the series is. */
function stampLike(time: IcsTime, start: IcsTime, zones: IcsZones): string {
  if (isDate(start)) return basicStamp(dateOf(time, zones.calendarZone));
  const zone = start.timeZone ?? zones.calendarZone;
  const wall = isDate(time) ? `${time.wall}T${start.wall.slice(11)}` : time.wall;
  if (time.timeZone === null && start.timeZone === null) return basicStamp(wall);
  return utcStamp(inZone({ wall, timeZone: time.timeZone ?? zone }, zone, zones.calendarZone), zone);
}

/** `20260301T090000Z` of a wall time in a zone. */
function utcStamp(wall: string, zone: string): string {
  return `${basicStamp(formatWall(instantOf(zone, wallMs(wall))))}Z`;
}

/** `20260301` or `20260301T090000`. */
function basicStamp(wall: string): string {
  return wall.replaceAll(/[-:]/g, '');
}
