import { unsupported } from './errors.ts';
import type { WireEvent } from './wire.ts';

/** Private property that holds `customColor`, which Google has no field for. It is never shown as a property. */
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

/** Shared properties are the public ones. */
export function readExtendedProperties(wire: WireEvent['extendedProperties']): ExtendedContent {
  const { [CUSTOM_COLOR_KEY]: customColor, ...ownProperties } = wire?.private ?? {};
  return {
    publicExtendedProperties: { ...wire?.shared },
    privateExtendedProperties: ownProperties,
    ...(customColor === undefined ? {} : { customColor }),
  };
}

/**
 * The `extendedProperties` of a body, or undefined when the patch says nothing about them. Clearing all of a kind
 * nulls each key that `current` has, since a patch merges objects.
 * @throws ProviderError unsupported, naming the field, where Google would drop or cut silently
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
  if (key === CUSTOM_COLOR_KEY) throw unsupported(field, `the key ${key} is reserved`);
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
