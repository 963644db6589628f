import type { EventOverrides } from 'kalends/ports';
import { unsupported } from '../transport/google-failure.ts';
import type { WireEvent } from './event-wire.ts';
import { isMark, writeOverrides } from './own-marks.ts';

/** Private property for `customColor`, which Google has no field for. Hidden from the properties. */
export const CUSTOM_COLOR_KEY = 'kalends.customColor';

const LONGEST_KEY = 44;
const LONGEST_VALUE = 1024;
const MOST_PROPERTIES = 300;
const MOST_CHARACTERS = 32_768;

export type PropertyPatch = Readonly<Record<string, string | null>> | null | undefined;

export interface ExtendedContent {
  readonly publicExtendedProperties: Record<string, string>;
  readonly privateExtendedProperties: Record<string, string>;
  readonly customColor?: string;
}

/** Maps Google's kinds of properties: shared ones are the public ones. */
export function readExtendedProperties(wire: WireEvent['extendedProperties']): ExtendedContent {
  const { [CUSTOM_COLOR_KEY]: customColor, ...rest } = wire?.private ?? {};
  const ownProperties = Object.fromEntries(Object.entries(rest).filter(([key]) => !isMark(key)));
  return {
    publicExtendedProperties: { ...wire?.shared },
    privateExtendedProperties: ownProperties,
    ...(customColor === undefined ? {} : { customColor }),
  };
}

/**
 * Returns the `extendedProperties` of a body, or undefined when the patch has none. Clearing all of a kind nulls each key
 * of `current`, since a patch merges objects.
 * @throws ProviderError unsupported, naming the field, where Google would drop or truncate silently
 */
export function writeExtendedProperties(
  patch: {
    readonly publicExtendedProperties?: PropertyPatch;
    readonly privateExtendedProperties?: PropertyPatch;
    readonly customColor?: string | null;
  },
  current: ExtendedContent,
): Readonly<Partial<Record<'private' | 'shared', Readonly<Record<string, string | null>>>>> | undefined {
  const { publicExtendedProperties, privateExtendedProperties, customColor } = patch;
  if ([publicExtendedProperties, privateExtendedProperties, customColor].every((part) => part === undefined)) {
    return undefined;
  }
  const shared = entriesOf('publicExtendedProperties', publicExtendedProperties, current.publicExtendedProperties);
  const own = entriesOf('privateExtendedProperties', privateExtendedProperties, current.privateExtendedProperties);
  checkTotal({ ...current.publicExtendedProperties, ...shared }, { ...current.privateExtendedProperties, ...own });
  const withColor = customColor === undefined ? own : { ...own, [CUSTOM_COLOR_KEY]: customColor };
  const kinds = Object.entries({ shared, private: withColor }).filter(([, kind]) => Object.keys(kind).length > 0);
  return kinds.length === 0 ? undefined : Object.fromEntries(kinds);
}

type PropertiesPatch = Parameters<typeof writeExtendedProperties>[0];

/** State of an exception before properties are written to it. */
export interface ExceptionBefore {
  /** Fields and keys that it already overrides. */
  readonly overrides: EventOverrides;
  /** Its private properties as Google has them. */
  readonly private: Readonly<Record<string, string>>;
}

/**
 * Returns the same for an exception. Only what differs from `current` is written, and recorded as its own.
 * @throws ProviderError as above
 */
export function writeOwnProperties(
  patch: PropertiesPatch,
  current: ExtendedContent,
  before: ExceptionBefore,
): ReturnType<typeof writeExtendedProperties> {
  // Limits hold for all that was requested, not for the difference alone.
  writeExtendedProperties(patch, current);
  const changed = changedProperties(patch, current);
  const body = writeExtendedProperties(changed, current);
  if (body === undefined) return undefined;
  const overrides = withOverrides(before.overrides, changed);
  return { ...body, private: { ...writeOverrides(overrides, before.private), ...body.private } };
}

/** Returns the part of a patch that differs from `current`. */
function changedProperties(patch: PropertiesPatch, current: ExtendedContent): PropertiesPatch {
  return {
    publicExtendedProperties: differing(patch.publicExtendedProperties, current.publicExtendedProperties),
    privateExtendedProperties: differing(patch.privateExtendedProperties, current.privateExtendedProperties),
    ...(patch.customColor === undefined || patch.customColor === (current.customColor ?? null)
      ? {}
      : { customColor: patch.customColor }),
  };
}

function withOverrides(own: EventOverrides, changed: PropertiesPatch): EventOverrides {
  return {
    customColor: own.customColor || 'customColor' in changed,
    publicExtendedProperties: union(own.publicExtendedProperties, changed.publicExtendedProperties),
    privateExtendedProperties: union(own.privateExtendedProperties, changed.privateExtendedProperties),
  };
}

/** Returns the overrides of an exception that had none before a patch; `series` is the content of its series. */
export function overridesBy(patch: PropertiesPatch, series: ExtendedContent): EventOverrides {
  const none = { customColor: false, publicExtendedProperties: [], privateExtendedProperties: [] };
  return withOverrides(none, changedProperties(patch, series));
}

/** Returns the overrides of an exception without a record of them: every field that differs from its series. */
export function unnotedOverrides(content: ExtendedContent, series: ExtendedContent): EventOverrides {
  const keysOf = (field: 'publicExtendedProperties' | 'privateExtendedProperties') =>
    Object.keys({ ...series[field], ...content[field] }).filter((key) => series[field][key] !== content[field][key]);
  return {
    customColor: content.customColor !== series.customColor,
    publicExtendedProperties: keysOf('publicExtendedProperties'),
    privateExtendedProperties: keysOf('privateExtendedProperties'),
  };
}

/** Returns the part of a patch that changes something; undefined when there is none. */
function differing(
  patch: PropertyPatch,
  current: Readonly<Record<string, string>>,
): Record<string, string | null> | undefined {
  if (patch === undefined) return undefined;
  const wanted = patch ?? Object.fromEntries(Object.keys(current).map((key) => [key, null]));
  const entries = Object.entries(wanted).filter(([key, value]) => (current[key] ?? null) !== value);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function union(keys: readonly string[], more: PropertyPatch): readonly string[] {
  return [...new Set([...keys, ...Object.keys(more ?? {})])];
}

function entriesOf(
  field: string,
  patch: PropertyPatch,
  current: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> {
  if (patch === undefined) return {};
  if (patch === null) return Object.fromEntries(Object.keys(current).map((key) => [key, null]));
  for (const [key, value] of Object.entries(patch)) checkProperty(field, key, value);
  return patch;
}

function checkProperty(field: string, key: string, value: string | null): void {
  if (key === CUSTOM_COLOR_KEY || isMark(key)) throw unsupported(field, `the key ${key} is reserved`);
  if (key.length > LONGEST_KEY) throw unsupported(field, `a key must be at most ${LONGEST_KEY} characters long`);
  if (value !== null && value.length > LONGEST_VALUE) {
    throw unsupported(field, `a value must be at most ${LONGEST_VALUE} characters long`);
  }
}

function checkTotal(...kinds: readonly Readonly<Record<string, string | null>>[]): void {
  const entries = kinds.flatMap((kind) => Object.entries(kind)).filter(([, value]) => value !== null);
  const characters = entries.reduce((sum, [key, value]) => sum + key.length + (value?.length ?? 0), 0);
  if (entries.length > MOST_PROPERTIES || characters > MOST_CHARACTERS) {
    const rule = `an event holds at most ${MOST_PROPERTIES} extended properties of ${MOST_CHARACTERS} characters in all`;
    throw unsupported('privateExtendedProperties', rule);
  }
}
