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
  const details = locationDetails === undefined ? shown : locationDetails;
  return {
    displayName: given === undefined ? (text ?? '') : (given ?? ''),
    ...(details?.address === undefined ? {} : { address: details.address }),
    ...(details?.coordinates === undefined ? {} : { coordinates: details.coordinates }),
    ...(details?.uri === undefined ? {} : { locationUri: details.uri }),
  };
}
