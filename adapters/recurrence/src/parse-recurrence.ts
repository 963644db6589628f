import { type GapPolicy, RecurrenceError } from '../../../src/recurrence/index.ts';
import { intlZones, type Zones } from '../../../src/zones/index.ts';
import { createRecurrence } from './create-recurrence.ts';
import type { Moment } from './moment.ts';
import { readText, type TextProperty } from './read-text.ts';
import type { Recurrence } from './recurrence.ts';
import { readStart, type Start, zoneNamed } from './start.ts';
import { createTextZones, type TextZones } from './text-zones.ts';

/** Options of every way to make a recurrence. */
export interface RecurrenceOptions {
  /** `'skip'` omits starts at local times that a change of the clocks leaves out. @default 'forward', RFC 5545 §3.3.5 */
  readonly gap?: GapPolicy;
  /** @default the runtime's own tz data */
  readonly zones?: Zones;
}

export interface ParseOptions extends RecurrenceOptions {
  /** The start, for a text without DTSTART. */
  readonly start?: Moment;
  /** The zone, where DTSTART has no TZID: of local times, or of the local times to which a DTSTART in UTC corresponds. */
  readonly timeZone?: string | null;
}

/**
 * Reads a recurrence from content lines: DTSTART, RRULE, EXRULE, RDATE and EXDATE, folded or not, a bare `FREQ=…`, with the
 * VTIMEZONEs of its zones beside them, or one event in an iCalendar text.
 *
 * A TZID may be an IANA name, with a vendor's path before it, a Windows name, or the name of a VTIMEZONE in the text.
 * @throws RecurrenceError naming the property or the part of a rule that cannot be read
 * @example
 * parseRecurrence(`DTSTART;TZID=America/New_York:20260105T090000
 * RRULE:FREQ=WEEKLY;BYDAY=MO,WE`).between('2026-03-01', '2026-04-01');
 * @see RFC 5545 §3.8.5
 */
export function parseRecurrence(text: string | readonly string[], options: ParseOptions = {}): Recurrence {
  const { zones: base = intlZones, gap } = options;
  const { properties, definitions } = readText(typeof text === 'string' ? text : text.join('\n'));
  const textZones = createTextZones(definitions, base);
  const start = startOf(properties, textZones, options);
  const lines = properties.filter(({ name }) => name !== 'DTSTART').map((property) => lineOf(property, textZones));
  if (lines.length === 0) throw new RecurrenceError('RRULE', 'is missing; the text has neither a rule nor an RDATE');
  return createRecurrence({ start, lines, gap, zoneLines: textZones.definitionLines() });
}

const STAMP = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?$/i;

function startOf(properties: readonly TextProperty[], textZones: TextZones, options: ParseOptions): Start {
  const { start, timeZone } = options;
  const [property, ...others] = properties.filter(({ name }) => name === 'DTSTART');
  // A set of rrule writes the one start of its rules with each of them.
  if (others.some(({ tzid, value }) => tzid !== property?.tzid || value !== property?.value)) {
    throw new RecurrenceError(
      'DTSTART',
      'is given twice; fromRRule takes sets of rrule whose rules have several starts',
    );
  }
  if (property === undefined) {
    if (start === undefined)
      throw new RecurrenceError('DTSTART', 'is missing; add it to the text, or give the option start');
    return readStart(start, timeZone, textZones.zones);
  }
  if (start !== undefined) throw new RecurrenceError('start', 'is given although the text has a DTSTART');
  const { value, tzid } = property;
  const [, year, month, day, hour, minute, second60, utc] = STAMP.exec(value) ?? [];
  if (year === undefined) throw new RecurrenceError('DTSTART', `"${value}" is no date or date-time`);
  if (utc && tzid !== undefined)
    throw new RecurrenceError('DTSTART', 'has a TZID and ends in Z; only one may say the zone');
  const zone = tzid === undefined ? zoneNamed(timeZone, textZones.zones) : textZones.resolve(tzid);
  const date = `${year}-${month}-${day}`;
  return namedStart(
    hour === undefined ? date : `${date}T${hour}:${minute}:${second60}${utc ? 'Z' : ''}`,
    zone,
    textZones,
  );
}

/** Reads a start, calling it by the name of its property. */
function namedStart(text: string, zone: string | null | undefined, { zones }: TextZones): Start {
  try {
    return readStart(text, zone, zones);
  } catch (error) {
    if (!(error instanceof RecurrenceError) || error.part !== 'start') throw error;
    throw new RecurrenceError('DTSTART', error.message.replace(/^start: /, ''));
  }
}

function lineOf({ name, tzid, valueType, value }: TextProperty, textZones: TextZones): string {
  if (name === 'RRULE' || name === 'EXRULE') return `${name}:${value}`;
  const zone = tzid === undefined ? undefined : textZones.resolve(tzid);
  return `${name}${valueType === undefined ? '' : `;VALUE=${valueType}`}${zone === undefined ? '' : `;TZID="${zone}"`}:${value}`;
}
