import { fixedZone, zoneOfOffset, zoneOfTzid } from './zone-of-tzid.ts';
import { offsetAt } from './zones.ts';

const HOUR_MS = 3_600_000;

/** A component of an iCalendar text: a calendar, a VTIMEZONE, or one of its observances. */
export interface IcsZoneComponent {
  /** Upper case, for instance `VTIMEZONE`. */
  readonly name: string;
  /** `name` in lower case, `raw` as written after the colon, `text` decoded. */
  readonly properties: readonly { readonly name: string; readonly raw: string; readonly text: string }[];
  readonly components: readonly IcsZoneComponent[];
}

/** Finds the IANA zone for the zone names of one calendar. */
export interface IcsZones {
  /** X-WR-TIMEZONE, else the first VTIMEZONE that maps to a zone, else UTC. */
  readonly calendarZone: string;
  /** The zone of a TZID; the calendar's when the name says nothing that can be understood. */
  resolve(tzid: string): string;
}

/**
 * Creates the resolution of a calendar's zone names: those of `zoneOfTzid`, then names that only the VTIMEZONE beside them
 * explains (`tzone://Microsoft/Custom`), then bare offsets. A name without meaning is told to `report`, once. `givenZone` replaces the
 * zone that the calendar says of itself.
 */
export function createIcsZones(
  calendar: IcsZoneComponent,
  report: (problem: string) => void,
  givenZone?: string,
): IcsZones {
  const definitions = calendar.components.filter((component) => component.name === 'VTIMEZONE');
  const byName = new Map(definitions.toReversed().map((definition) => [propertyText(definition, 'tzid'), definition]));
  const named = propertyText(calendar, 'x-wr-timezone');
  const explicit = named === undefined ? undefined : zoneOfTzid(named);
  const calendarZone = givenZone ?? explicit ?? firstZone(definitions) ?? 'UTC';
  const known = new Map<string, string>();
  return {
    calendarZone,
    resolve(tzid) {
      const before = known.get(tzid);
      if (before !== undefined) return before;
      const definition = byName.get(tzid.trim());
      const zone =
        zoneOfTzid(tzid) ??
        (definition === undefined ? undefined : zoneOfDefinition(definition, calendarZone)) ??
        zoneOfOffset(tzid);
      if (zone === undefined) report(`the time zone "${tzid}" is not known: its times were read in ${calendarZone}`);
      known.set(tzid, zone ?? calendarZone);
      return zone ?? calendarZone;
    },
  };
}

/** Most definitions that are looked at for the zone of a calendar that names none. */
const MOST_DEFINITIONS = 100;

function firstZone(definitions: readonly IcsZoneComponent[]): string | undefined {
  for (const definition of definitions.slice(0, MOST_DEFINITIONS)) {
    const zone = zoneOfDefinition(definition, undefined);
    if (zone !== undefined) return zone;
  }
  return undefined;
}

function propertyText(component: IcsZoneComponent, name: string): string | undefined {
  return component.properties.find((property) => property.name === name)?.text.trim();
}

/**
 * A VTIMEZONE by its own name or location, else the zone with the same offsets in January and July: the calendar's
 * own if it fits, then the first of the zones that the runtime knows.
 */
function zoneOfDefinition(definition: IcsZoneComponent, preferred: string | undefined): string | undefined {
  for (const name of ['tzid', 'x-lic-location']) {
    const zone = zoneOfTzid(propertyText(definition, name) ?? '');
    if (zone !== undefined) return zone;
  }
  const wanted = offsetsOf(definition);
  if (wanted === undefined) return undefined;
  const fits = (zone: string): boolean =>
    offsetAt(zone, Date.UTC(2024, 0, 15)) === wanted.january && offsetAt(zone, Date.UTC(2024, 6, 15)) === wanted.july;
  if (preferred !== undefined && fits(preferred)) return preferred;
  const isFixed = wanted.january === wanted.july && wanted.january % HOUR_MS === 0;
  if (isFixed) return wanted.january === 0 ? 'UTC' : fixedZone(wanted.january / HOUR_MS);
  return zoneWithOffsets(wanted.january, wanted.july, fits);
}

const zonesByOffsets = new Map<string, string | null>();

/** Remembered: a text may define thousands of zones, and a search asks hundreds. Offsets are whole minutes, so that few exist. */
function zoneWithOffsets(january: number, july: number, fits: (zone: string) => boolean): string | undefined {
  const key = `${january} ${july}`;
  let zone = zonesByOffsets.get(key);
  if (zone === undefined) {
    zone = Intl.supportedValuesOf('timeZone').find(fits) ?? null;
    if (zonesByOffsets.size >= 1000) zonesByOffsets.clear();
    zonesByOffsets.set(key, zone);
  }
  return zone ?? undefined;
}

interface Onset {
  readonly month: number;
  readonly offsetMs: number;
}

/** The offsets in mid-January and mid-July that a VTIMEZONE's latest rules give. */
function offsetsOf(definition: IcsZoneComponent): { readonly january: number; readonly july: number } | undefined {
  const onsets = (['STANDARD', 'DAYLIGHT'] as const)
    .map((kind) => latestOnset(definition.components.filter((component) => component.name === kind)))
    .filter((onset) => onset !== undefined)
    .sort((one, other) => one.month - other.month);
  const last = onsets.at(-1);
  if (last === undefined) return undefined;
  const inForce = (month: number): number => (onsets.findLast((onset) => onset.month <= month) ?? last).offsetMs;
  return { january: inForce(0.5), july: inForce(6.5) };
}

function latestOnset(components: readonly IcsZoneComponent[]): Onset | undefined {
  const dated = components
    .map((component) => ({ component, start: component.properties.find(({ name }) => name === 'dtstart')?.raw ?? '' }))
    .sort((one, other) => (one.start < other.start ? -1 : 1));
  const latest = dated.at(-1);
  const offset = /^([+-])(\d{2})(\d{2})/.exec(
    latest?.component.properties.find(({ name }) => name === 'tzoffsetto')?.raw ?? '',
  );
  if (latest === undefined || offset === null) return undefined;
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  const rule = latest.component.properties.find(({ name }) => name === 'rrule')?.raw ?? '';
  const month = Number(/BYMONTH=(\d+)/i.exec(rule)?.[1] ?? latest.start.slice(4, 6));
  return { month, offsetMs: (offset[1] === '-' ? -1 : 1) * minutes * 60_000 };
}
