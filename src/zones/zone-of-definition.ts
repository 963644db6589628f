import { type IcsZoneComponent, type Observance, observancesOf } from './observances.ts';
import { fixedZone, zoneOfTzid } from './zone-of-tzid.ts';
import { intlZones, offsetAt } from './zones.ts';

const HOUR_MS = 3_600_000;

/** Zones that are chosen before others with the same changes. */
const WELL_KNOWN = [
  ...['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles', 'America/Halifax'],
  ...['Europe/London', 'Europe/Berlin', 'Europe/Athens', 'Australia/Sydney'],
];

/** Returns a text property of a component, trimmed. */
export function propertyText(component: IcsZoneComponent, name: string): string | undefined {
  return component.properties.find((property) => property.name === name)?.text.trim();
}

/**
 * Returns the zone of a VTIMEZONE: by its own name or location, else the one of those with the same offsets in winter and summer whose changes agree
 * with the most of its own. Of several, `preferred` comes first, then a well-known one. Undefined where no zone has the offsets.
 */
export function zoneOfDefinition(definition: IcsZoneComponent, preferred: string | undefined): string | undefined {
  for (const name of ['tzid', 'x-lic-location']) {
    const zone = zoneOfTzid(propertyText(definition, name) ?? '');
    if (zone !== undefined) return zone;
  }
  const observances = observancesOf(definition);
  const last = observances.at(-1);
  if (last === undefined) return undefined;
  const inForce = (month: number): number =>
    (observances.findLast((observance) => observance.month <= month) ?? last).toMs;
  const [january, july] = [inForce(0.5), inForce(6.5)];
  const isPossible = preferred !== undefined && hasOffsets(preferred, january, july);
  if (january === july && january % HOUR_MS === 0) {
    if (isPossible) return preferred;
    return january === 0 ? 'UTC' : fixedZone(january / HOUR_MS);
  }
  const zones = zonesWithOffsets(january, july);
  return nearestOf(isPossible ? [preferred, ...zones] : zones, observances);
}

function hasOffsets(zone: string, january: number, july: number): boolean {
  return offsetAt(zone, Date.UTC(2024, 0, 15)) === january && offsetAt(zone, Date.UTC(2024, 6, 15)) === july;
}

function nearestOf(zones: readonly string[], observances: readonly Observance[]): string | undefined {
  let [nearest, fewest] = [undefined as string | undefined, Number.POSITIVE_INFINITY];
  for (const zone of zones) {
    const misses = missesOf(zone, observances);
    if (misses < fewest) [nearest, fewest] = [zone, misses];
  }
  return nearest;
}

/** Counts the changes of a definition that a zone does not have. */
function missesOf(zone: string, observances: readonly Observance[]): number {
  return observances
    .map(({ onsets, fromMs, toMs }) =>
      onsets.filter((at) => offsetAt(zone, at - 1) !== fromMs || offsetAt(zone, at) !== toMs),
    )
    .reduce((sum, missed) => sum + missed.length, 0);
}

const zonesByOffsets = new Map<string, readonly string[]>();

/**
 * Returns the zones with these offsets, one of those that have the same changes. Remembered: a text may define thousands of zones, and a search
 * asks hundreds. Offsets are whole minutes, so that few exist.
 */
function zonesWithOffsets(january: number, july: number): readonly string[] {
  const key = `${january} ${july}`;
  let zones = zonesByOffsets.get(key);
  if (zones === undefined) {
    const all = [...WELL_KNOWN, ...Intl.supportedValuesOf('timeZone')].filter((zone) =>
      hasOffsets(zone, january, july),
    );
    const byChanges = new Map(all.toReversed().map((zone) => [changesOf(zone), zone]));
    zones = [...byChanges.values()].toReversed();
    if (zonesByOffsets.size >= 1000) zonesByOffsets.clear();
    zonesByOffsets.set(key, zones);
  }
  return zones;
}

/** Returns the ends of a zone's spans with one offset in the years of the events that are read today, as a text. */
function changesOf(zone: string): string {
  const table = intlZones.tableOf(zone);
  const changes: number[] = [];
  for (let { toMs } = table.spanAt(Date.UTC(2024, 0, 1)); toMs < Date.UTC(2034, 0, 1); { toMs } = table.spanAt(toMs)) {
    changes.push(toMs);
  }
  return changes.join(' ');
}
