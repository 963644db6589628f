import { resolveZone } from './zone-names.ts';
import { intlZones, type Zones } from './zones.ts';

/**
 * Returns the IANA zone that a TZID names, or undefined: an IANA name, with or without a vendor's path before it
 * (`/mozilla.org/20070129_1/Europe/Paris`); a Windows name; or a Windows display name (`(UTC-05:00) Eastern Time (US & Canada)`,
 * `(GMT+10:00) Canberra, Melbourne, Sydney`).
 */
export function zoneOfTzid(tzid: string, zones: Zones = intlZones): string | undefined {
  const name = tzid.replaceAll('"', '').trim();
  const zone = resolveZone(name, zones) ?? zoneOfPath(name, zones);
  return zone?.toUpperCase() === 'UTC' ? 'UTC' : (zone ?? zoneOfDisplayName(name, zones));
}

/** IANA names have three segments at most, as America/Argentina/Buenos_Aires. */
const MOST_SEGMENTS = 3;

/** Finds the longest tail of a path that is a zone. Each look-up of an unknown name is slow. */
function zoneOfPath(name: string, zones: Zones): string | undefined {
  const segments = name
    .split('/')
    .filter((segment) => segment !== '')
    .slice(-MOST_SEGMENTS);
  for (let index = 0; index < segments.length; index++) {
    const zone = resolveZone(segments.slice(index).join('/'), zones);
    if (zone !== undefined) return zone;
  }
  return undefined;
}

/** `(UTC-05:00) Eastern Time (US & Canada)` by its standard name, `(GMT+10:00) Canberra, Melbourne, Sydney` by a city. */
function zoneOfDisplayName(name: string, zones: Zones): string | undefined {
  const [, words] = /^\((?:GMT|UTC)[^)]*\)(.+)$/i.exec(name) ?? [];
  if (words === undefined) return undefined;
  const plain = words.replaceAll(/\([^()]*\)/g, '').trim();
  const ofTime = `${plain.replace(/\sTime$/i, '').trimEnd()} Standard Time`;
  const standard = resolveZone(ofTime, zones) ?? resolveZone(plain, zones);
  if (standard !== undefined) return standard;
  const cities = plain.split(',').map((city) => city.trim().replaceAll(' ', '_').toLowerCase());
  return Intl.supportedValuesOf('timeZone').find((zone) =>
    cities.includes(zone.split('/').at(-1)?.toLowerCase() ?? ''),
  );
}

/** Returns the fixed zone of `(GMT +01:00)`, `UTC+3` or `GMT-0500`, for whole hours; else undefined. */
export function zoneOfOffset(tzid: string, zones: Zones = intlZones): string | undefined {
  const match = /(?:GMT|UTC)\s*([+-])\s*(\d{1,2}):?(\d{2})?/i.exec(tzid);
  if (match === null || Number(match[3] ?? '0') !== 0) return undefined;
  return fixedZone((match[1] === '-' ? -1 : 1) * Number(match[2]), zones);
}

/** Returns the zone at a whole number of hours east of UTC; the sign of its IANA name runs the other way. */
export function fixedZone(hours: number, zones: Zones = intlZones): string | undefined {
  if (hours === 0) return 'UTC';
  return resolveZone(`Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`, zones);
}
