import type { CalendarEvent, ConferenceData, LocationDetails } from '../../model/index.ts';
import { conferenceData, locationDetails } from '../../model/index.ts';
import { LONGEST_MIRRORED_TEXT, mirroredText } from '../../ports/index.ts';
import { type IcsComponent, propertiesOf, propertyOf, textOf } from '../text/component.ts';
import { splitValues, unescapeText } from '../text/content-line.ts';
import {
  decodeObject,
  decodeValue,
  X_COLOR_ID,
  X_CONFERENCE,
  X_CUSTOM_COLOR,
  X_LOCATION,
  X_MEETING_PROVIDER,
  X_PERMISSIONS,
  X_PRIVATE,
  X_PUBLIC,
} from '../x-names.ts';

/** Fields that stand in properties of their own, apart from times, people, alarms and texts. */
type DetailContent = Pick<
  CalendarEvent,
  | 'publicExtendedProperties'
  | 'privateExtendedProperties'
  | 'colorId'
  | 'customColor'
  | 'conferenceData'
  | 'generateMeetingUrlProvider'
  | 'locationDetails'
  | 'categories'
  | 'hasAttachments'
  | 'guestsCanModify'
  | 'guestsCanInviteOthers'
  | 'guestsCanSeeOtherGuests'
  | 'allowNewTimeProposals'
>;

/** Maps the further fields of an event. */
export function readDetails(component: IcsComponent): DetailContent {
  const colorId = decodedOf(component, X_COLOR_ID);
  const customColor = decodedOf(component, X_CUSTOM_COLOR) ?? mirroredText(textOf(component, 'color'));
  const provider = decodedOf(component, X_MEETING_PROVIDER);
  const conferenceData = readConference(component);
  const place = readLocationDetails(component);
  return {
    publicExtendedProperties: readExtended(component, X_PUBLIC),
    privateExtendedProperties: readExtended(component, X_PRIVATE),
    ...(colorId === undefined ? {} : { colorId }),
    ...(customColor === undefined || customColor === '' ? {} : { customColor }),
    ...(conferenceData === undefined ? {} : { conferenceData }),
    ...(provider === undefined ? {} : { generateMeetingUrlProvider: provider }),
    ...(place === undefined ? {} : { locationDetails: place }),
    categories: readCategories(component),
    hasAttachments: propertyOf(component, 'attach') !== undefined,
    ...readPermissions(component),
  };
}

function decodedOf(component: IcsComponent, name: string): string | undefined {
  const property = propertyOf(component, name.toLowerCase());
  return property === undefined || property.raw.length > LONGEST_ENCODED ? undefined : decodeValue(property.raw);
}

function readExtended(component: IcsComponent, name: string): Record<string, string> {
  const properties = propertiesOf(component, name.toLowerCase()).slice(0, MOST_PROPERTIES);
  const entries = properties.flatMap(({ raw }): [string, string][] => {
    if (raw.length > LONGEST_ENCODED) return [];
    const [key, value] = raw.split('=', 2).map(decodeValue);
    return key === undefined || key === '' || value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** Most extended properties of each kind that are read of one event; the interface writes far fewer. */
const MOST_PROPERTIES = 1_000;
/** Longest value of our own that is read: each character may be written as several. */
const LONGEST_ENCODED = 9 * LONGEST_MIRRORED_TEXT;

/** Returns our own record of an object; undefined without one. */
function objectOf(component: IcsComponent, name: string): Readonly<Record<string, unknown>> | undefined {
  const property = propertyOf(component, name.toLowerCase());
  return property === undefined || property.raw.length > LONGEST_ENCODED ? undefined : decodeObject(property.raw);
}

/** CATEGORIES may occur several times, each a list (RFC 5545 §3.8.1.2). */
function readCategories(component: IcsComponent): string[] {
  const list = propertiesOf(component, 'categories')
    .map(({ raw }) => raw)
    .join(',');
  const isCut = list.length > LONGEST_MIRRORED_TEXT;
  const values = splitValues(isCut ? `${list.slice(0, LONGEST_MIRRORED_TEXT + 1)}…` : list);
  // The beginning of a category would be another one: that which the cut is in goes with the mark of it.
  const names = values.slice(0, isCut ? -1 : undefined).map((name) => unescapeText(name).trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

const LINKS = [
  'conference',
  'x-google-conference',
  'x-microsoft-skypeteamsmeetingurl',
  'x-microsoft-onlinemeetingconflink',
];

/** RFC 7986 §5.11, and what Google and Microsoft write. Our own record counts while its link is still the one shown. */
function readConference(component: IcsComponent): ConferenceData | undefined {
  const shown = LINKS.flatMap((name) => propertiesOf(component, name)).find(
    ({ text, raw }) => text !== '' && raw.length <= LONGEST_MIRRORED_TEXT,
  );
  const record = objectOf(component, X_CONFERENCE);
  const own = record && conferenceData.safeParse(record).data;
  if (own !== undefined && own.joinUrl === shown?.raw) return own;
  if (shown === undefined) return undefined;
  const { label } = shown.parameters;
  return {
    ...(label === undefined || label === '' ? {} : { conferenceType: mirroredText(label) }),
    joinUrl: shown.raw,
  };
}

/** Degrees within which positions are the same: servers pad or round GEO. */
const SAME_DEGREES = 0.0001;

/** GEO is every program's; our own record counts while its coordinates agree. */
function readLocationDetails(component: IcsComponent): LocationDetails | undefined {
  const coordinates = readGeo(textOf(component, 'geo'));
  const given = locationDetails.safeParse(objectOf(component, X_LOCATION));
  const own = given.success ? given.data : undefined;
  if (own === undefined) return coordinates === undefined ? undefined : { coordinates };
  if (coordinates === undefined || isSamePlace(own.coordinates, coordinates)) return own;
  return { ...own, coordinates };
}

function isSamePlace(one: LocationDetails['coordinates'], other: LocationDetails['coordinates']): boolean {
  if (one === undefined || other === undefined) return false;
  return (
    Math.abs(one.latitude - other.latitude) < SAME_DEGREES && Math.abs(one.longitude - other.longitude) < SAME_DEGREES
  );
}

function readGeo(text: string): LocationDetails['coordinates'] {
  const [, latitude, longitude] =
    /^\s*([+-]?\d{1,3}(?:\.\d{1,20})?)\s*;\s*([+-]?\d{1,3}(?:\.\d{1,20})?)\s*$/.exec(text) ?? [];
  if (latitude === undefined || longitude === undefined) return undefined;
  const read = { latitude: Number(latitude), longitude: Number(longitude) };
  return Math.abs(read.latitude) <= 90 && Math.abs(read.longitude) <= 180 ? read : undefined;
}

type Permissions = Pick<CalendarEvent, keyof typeof X_PERMISSIONS>;

function readPermissions(component: IcsComponent): Permissions {
  const entries = Object.entries(X_PERMISSIONS).flatMap(([field, name]): [string, boolean][] => {
    const word = propertyOf(component, name.toLowerCase())?.raw.toUpperCase();
    return word === 'TRUE' || word === 'FALSE' ? [[field, word === 'TRUE']] : [];
  });
  return { guestsCanSeeOtherGuests: true, ...Object.fromEntries(entries) };
}
