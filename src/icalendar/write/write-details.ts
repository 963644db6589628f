import type { CalendarEvent, LocationDetails } from '../../model/index.ts';
import type { EventPatch } from '../../ports/index.ts';
import { type IcsComponent, propertiesOf, withProperties, withProperty } from '../text/component.ts';
import { escapeText, type IcsProperty, writeContentLine } from '../text/content-line.ts';
import {
  decodeValue,
  encodeObject,
  encodeValue,
  X_COLOR_ID,
  X_CONFERENCE,
  X_CUSTOM_COLOR,
  X_LOCATION,
  X_MEETING_PROVIDER,
  X_PERMISSIONS,
  X_PRIVATE,
  X_PUBLIC,
} from '../x-names.ts';
import { CSS_COLORS } from './css-colors.ts';

type Writer = (component: IcsComponent, patch: EventPatch) => IcsComponent;

const WRITERS: readonly Writer[] = [
  writeColors,
  writeExtended,
  writeCategories,
  writeConference,
  writeLocationDetails,
  writePermissions,
];

/** Writes the fields that stand in properties of their own, apart from times, people, alarms and texts. */
export function writeDetails(component: IcsComponent, patch: EventPatch): IcsComponent {
  return WRITERS.reduce((next, write) => write(next, patch), component);
}

function encoded(name: string, value: string | null): IcsProperty | undefined {
  return value === null ? undefined : writeContentLine(name, encodeValue(value));
}

/** A colour by its CSS name is COLOR (RFC 7986 §5.9), which other programs show; any other is ours alone. */
function writeColors(component: IcsComponent, { colorId, customColor }: EventPatch): IcsComponent {
  const withId = colorId === undefined ? component : set(component, X_COLOR_ID, encoded(X_COLOR_ID, colorId));
  if (customColor === undefined) return withId;
  const isCss = customColor !== null && CSS_COLORS.has(customColor.toLowerCase());
  const color = customColor !== null && isCss ? writeContentLine('COLOR', customColor) : undefined;
  return set(set(withId, 'COLOR', color), X_CUSTOM_COLOR, isCss ? undefined : encoded(X_CUSTOM_COLOR, customColor));
}

function set(component: IcsComponent, name: string, property: IcsProperty | undefined): IcsComponent {
  return withProperty(component, name.toLowerCase(), property);
}

function writeExtended(component: IcsComponent, patch: EventPatch): IcsComponent {
  const withPublic = writeKind(component, X_PUBLIC, patch.publicExtendedProperties);
  return writeKind(withPublic, X_PRIVATE, patch.privateExtendedProperties);
}

function writeKind(
  component: IcsComponent,
  name: string,
  patch: Readonly<Record<string, string | null>> | null | undefined,
): IcsComponent {
  if (patch === undefined) return component;
  if (patch === null) return withProperties(component, name.toLowerCase(), []);
  const given = new Map(Object.entries(patch));
  const kept = propertiesOf(component, name.toLowerCase()).filter(({ raw }) => !given.has(keyOf(raw)));
  const written = [...given].flatMap(([key, value]) =>
    value === null ? [] : [writeContentLine(name, `${encodeValue(key)}=${encodeValue(value)}`)],
  );
  return withProperties(component, name.toLowerCase(), [...kept, ...written]);
}

/** Returns the key of an extended property as it stands in a text. */
export function keyOf(raw: string): string {
  return decodeValue(raw.split('=', 1)[0] ?? '') ?? '';
}

function writeCategories(component: IcsComponent, { categories }: EventPatch): IcsComponent {
  if (categories === undefined) return component;
  const names = categories ?? [];
  const line = names.length === 0 ? [] : [writeContentLine('CATEGORIES', names.map(escapeText).join(','))];
  return withProperties(component, 'categories', line);
}

const LINKS = ['X-GOOGLE-CONFERENCE', 'X-MICROSOFT-SKYPETEAMSMEETINGURL', 'X-MICROSOFT-ONLINEMEETINGCONFLINK'];

/** RFC 7986 §5.11; other programs' links of a conference that is replaced go with it. */
function writeConference(component: IcsComponent, patch: EventPatch): IcsComponent {
  const provider = patch.generateMeetingUrlProvider;
  const base =
    provider === undefined ? component : set(component, X_MEETING_PROVIDER, encoded(X_MEETING_PROVIDER, provider));
  const data = patch.conferenceData;
  if (data === undefined) return base;
  const cleared = LINKS.reduce((next, name) => set(next, name, undefined), base);
  const { joinUrl, conferenceType, ...rest } = data ?? {};
  const label = typeof conferenceType === 'string' ? conferenceType : undefined;
  const link =
    typeof joinUrl === 'string'
      ? writeContentLine('CONFERENCE', joinUrl, { VALUE: 'URI', FEATURE: 'VIDEO', LABEL: label })
      : undefined;
  const isSaid = link !== undefined && Object.keys(rest).length === 0;
  const record = data === null || isSaid ? undefined : writeContentLine(X_CONFERENCE, encodeObject(data));
  return set(set(cleared, 'CONFERENCE', link), X_CONFERENCE, record);
}

function writeLocationDetails(component: IcsComponent, { locationDetails }: EventPatch): IcsComponent {
  if (locationDetails === undefined) return component;
  const { coordinates, ...rest }: LocationDetails = locationDetails ?? {};
  const geo =
    coordinates === undefined ? undefined : writeContentLine('GEO', `${coordinates.latitude};${coordinates.longitude}`);
  const isSaid = locationDetails === null || Object.keys(rest).length === 0;
  const record = isSaid ? undefined : writeContentLine(X_LOCATION, encodeObject(locationDetails));
  return set(set(component, 'GEO', geo), X_LOCATION, record);
}

type Permission = keyof typeof X_PERMISSIONS;

function writePermissions(component: IcsComponent, patch: EventPatch): IcsComponent {
  const names = Object.entries(X_PERMISSIONS) as readonly [Permission & keyof CalendarEvent, string][];
  return names.reduce((next, [field, name]) => {
    const value = patch[field];
    if (value === undefined) return next;
    const isUsual = value === null || (field === 'guestsCanSeeOtherGuests' && value);
    return set(next, name, isUsual ? undefined : writeContentLine(name, value ? 'TRUE' : 'FALSE'));
  }, component);
}
