import { RecurrenceError } from '../../../src/recurrence/index.ts';
import { type Zones, zoneOfOffset, zoneOfTzid } from '../../../src/zones/index.ts';
import type { ZoneDefinition } from './read-text.ts';
import { definedZone } from './vtimezone.ts';

/** The zones that a text names. */
export interface TextZones {
  /** The zones of the base and those that only a VTIMEZONE defines. */
  readonly zones: Zones;
  /**
   * Returns the name of a zone for a TZID: its IANA name, or the TZID itself when only a VTIMEZONE defines it.
   * @throws RecurrenceError naming TZID for one without meaning
   */
  resolve(tzid: string): string;
  /** Returns the lines of the VTIMEZONEs that define zones which `resolve` has returned. */
  definitionLines(): readonly string[];
}

export function createTextZones(definitions: ReadonlyMap<string, ZoneDefinition>, base: Zones): TextZones {
  const defined = new Map<string, Zones>();
  const names = new Map<string, string>();

  function find(tzid: string): string | undefined {
    const named = zoneOfTzid(tzid, base);
    const definition = definitions.get(tzid);
    if (named !== undefined || definition === undefined) return named ?? zoneOfOffset(tzid, base);
    const location = definition.component.properties.find(({ name }) => name === 'x-lic-location')?.text;
    const located = location === undefined ? undefined : zoneOfTzid(location, base);
    if (located !== undefined) return located;
    defined.set(tzid, definedZone(tzid, definition.component));
    return tzid;
  }

  return {
    zones: {
      canonicalName: (name) => base.canonicalName(name) ?? (defined.has(name) ? name : undefined),
      tableOf: (name) => (defined.get(name) ?? base).tableOf(name),
    },
    resolve(tzid) {
      const name = names.get(tzid) ?? find(tzid);
      if (name === undefined) {
        throw new RecurrenceError('TZID', `"${tzid}" is no known time zone; add the VTIMEZONE that defines it`);
      }
      names.set(tzid, name);
      return name;
    },
    definitionLines: () => [...defined.keys()].flatMap((tzid) => definitions.get(tzid)?.lines ?? []),
  };
}
