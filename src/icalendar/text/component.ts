import type { IcsProperty } from './content-line.ts';

/** A component with its properties and the components in it, each in the order of the text. */
export interface IcsComponent {
  /** Upper case, for instance `VEVENT`. */
  readonly name: string;
  readonly properties: readonly IcsProperty[];
  readonly components: readonly IcsComponent[];
}

/** Fewer properties are looked through: an event is asked for some fifty names, and may have 100,000 lines. */
const INDEXED = 100;
const indexes = new WeakMap<readonly IcsProperty[], ReadonlyMap<string, readonly IcsProperty[]>>();

function indexOf(properties: readonly IcsProperty[]): ReadonlyMap<string, readonly IcsProperty[]> {
  const known = indexes.get(properties);
  if (known !== undefined) return known;
  const index = new Map<string, IcsProperty[]>();
  for (const property of properties) {
    const others = index.get(property.name);
    if (others === undefined) index.set(property.name, [property]);
    else others.push(property);
  }
  indexes.set(properties, index);
  return index;
}

/** Returns the first property of a name, which is in lower case. */
export function propertyOf({ properties }: IcsComponent, name: string): IcsProperty | undefined {
  if (properties.length < INDEXED) return properties.find((property) => property.name === name);
  return indexOf(properties).get(name)?.[0];
}

/** Returns all properties of a name. */
export function propertiesOf({ properties }: IcsComponent, name: string): readonly IcsProperty[] {
  if (properties.length < INDEXED) return properties.filter((property) => property.name === name);
  return indexOf(properties).get(name) ?? [];
}

/** Returns the text of a property; empty without one. */
export function textOf(component: IcsComponent, name: string): string {
  return propertyOf(component, name)?.text ?? '';
}

/** Returns the raw value of a property, trimmed and in upper case; empty without one. For values such as `CONFIRMED`. */
export function wordOf(component: IcsComponent, name: string): string {
  return (propertyOf(component, name)?.raw ?? '').trim().toUpperCase();
}

/**
 * Returns the component with all properties of a name replaced by others, which stand where the first was; or at the end. Equal ones
 * keep their lines.
 */
export function withProperties(
  component: IcsComponent,
  name: string,
  properties: readonly IcsProperty[],
): IcsComponent {
  const present = propertiesOf(component, name);
  const isSame = present.length === properties.length && present.every(({ line }, at) => line === properties[at]?.line);
  if (isSame) return component;
  const first = component.properties.findIndex((property) => property.name === name);
  const at = first === -1 ? component.properties.length : first;
  const others = (list: readonly IcsProperty[]) => list.filter((property) => property.name !== name);
  return {
    ...component,
    properties: [
      ...others(component.properties.slice(0, at)),
      ...properties,
      ...others(component.properties.slice(at)),
    ],
  };
}

/** Returns the component with one property of a name, or none. */
export function withProperty(component: IcsComponent, name: string, property: IcsProperty | undefined): IcsComponent {
  return withProperties(component, name, property === undefined ? [] : [property]);
}
