import type { LocationDetails } from 'kalends/model';
import type { EventPatch } from 'kalends/ports';
import type { WireEvent, WireLocation } from './event-wire.ts';
import { canonicalJson } from './kept-properties.ts';

/** Maps the details of a place; undefined without any. Exchange fills in empty texts and objects where there are none. */
export function readLocationDetails(location: WireLocation | null | undefined): LocationDetails | undefined {
  const { address, coordinates, locationUri } = location ?? {};
  const parts = Object.entries(address ?? {}).filter(([, text]) => text != null && text !== '');
  const { latitude, longitude } = coordinates ?? {};
  const details: LocationDetails = {
    ...(parts.length === 0 ? {} : { address: Object.fromEntries(parts) }),
    ...(latitude == null || longitude == null ? {} : { coordinates: { latitude, longitude } }),
    ...(locationUri ? { uri: locationUri } : {}),
  };
  return Object.keys(details).length === 0 ? undefined : details;
}

/** Places of an event as a body has them: whichever of the two properties is written, Graph replaces both. */
type WrittenPlaces = Partial<Record<'location' | 'locations', unknown>>;

/**
 * Returns the places to write for a patch, whole; nothing when they stay. Another text is another place, in place of all; other
 * details are those of the first one.
 */
export function writeLocation({ location, locationDetails }: EventPatch, before: WireEvent | null): WrittenPlaces {
  const shown = readLocationDetails(before?.location);
  const text = before?.location?.displayName ?? '';
  const [wantedText, wanted] = [
    location === undefined ? text : (location ?? ''),
    locationDetails === undefined ? shown : locationDetails,
  ];
  if (wantedText !== text) return placesInBody([{ displayName: wantedText, ...detailsIn(wanted) }]);
  if (canonicalJson(wanted ?? {}) === canonicalJson(shown ?? {})) return {};
  const [first, ...others] = placesOf(before);
  return placesInBody([placeInBody(first, wanted ?? null), ...others.map((place) => placeInBody(place))]);
}

/** Returns the places of an event as they are. */
export function writePlaces(wire: Pick<WireEvent, 'location' | 'locations'>): WrittenPlaces {
  return placesInBody(placesOf(wire).map((place) => placeInBody(place)));
}

type Place = WireLocation | null | undefined;

function placesOf(wire: Pick<WireEvent, 'location' | 'locations'> | null): readonly Place[] {
  return wire?.locations?.length ? wire.locations : [wire?.location];
}

function placeInBody(place: Place, details: LocationDetails | null = readLocationDetails(place) ?? null): WireLocation {
  return { displayName: place?.displayName ?? '', ...detailsIn(details), ...roomIn(place) };
}

function placesInBody(places: readonly WireLocation[]): WrittenPlaces {
  return places.length > 1 ? { location: undefined, locations: places } : { location: places[0] };
}

function detailsIn(details: LocationDetails | null | undefined): Partial<WireLocation> {
  const { address, coordinates, uri } = details ?? {};
  return {
    ...(address === undefined ? {} : { address }),
    ...(coordinates === undefined ? {} : { coordinates }),
    ...(uri === undefined ? {} : { locationUri: uri }),
  };
}

/** Returns the parts that tell which room a place is, which no field shows. */
function roomIn(place: Place): Partial<WireLocation> {
  const { locationEmailAddress, locationType = 'default' } = place ?? {};
  return {
    ...(locationEmailAddress ? { locationEmailAddress } : {}),
    ...(locationType === 'default' ? {} : { locationType }),
  };
}
