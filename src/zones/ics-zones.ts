import type { IcsZoneComponent } from './observances.ts';
import { propertyText, zoneOfDefinition } from './zone-of-definition.ts';
import { zoneOfOffset, zoneOfTzid } from './zone-of-tzid.ts';

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
