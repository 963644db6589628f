import type { LocationDetails } from 'kalends/model';
import type { EventPatch } from 'kalends/ports';
import type { WireEvent, WireLocation } from './event-wire.ts';

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

/** Returns the `location` of a body, whole, since Graph replaces it; undefined when the patch leaves it. */
export function writeLocation(
  { location: given, locationDetails }: EventPatch,
  before: WireEvent | null,
): WireLocation | undefined {
  const text = before?.location?.displayName;
  const isTextSame = given === undefined || (given ?? '') === text;
  if (isTextSame && locationDetails === undefined) return undefined;
  const shown = readLocationDetails(before?.location);
  return {
    displayName: given === undefined ? (text ?? '') : (given ?? ''),
    ...detailsIn(locationDetails === undefined ? shown : locationDetails),
    ...(isTextSame ? roomIn(before?.location) : {}),
  };
}

/** Returns the places of an event as a body has them: whichever of the two properties is written, Graph replaces both. */
export function writePlaces({ location, locations }: Pick<WireEvent, 'location' | 'locations'>) {
  const places = (locations?.length ? locations : [location]).map((place) => ({
    displayName: place?.displayName ?? '',
    ...detailsIn(readLocationDetails(place)),
    ...roomIn(place),
  }));
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
function roomIn(place: WireLocation | null | undefined): Partial<WireLocation> {
  const { locationEmailAddress, locationType = 'default' } = place ?? {};
  return {
    ...(locationEmailAddress ? { locationEmailAddress } : {}),
    ...(locationType === 'default' ? {} : { locationType }),
  };
}
