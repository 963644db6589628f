import type { IcsProperty } from './content-line.ts';

/** A component with its properties and the components in it, each in the order of the text. */
export interface IcsComponent {
  /** Upper case, for instance `VEVENT`. */
  readonly name: string;
  readonly properties: readonly IcsProperty[];
  readonly components: readonly IcsComponent[];
}

/** Returns the first property of a name, which is in lower case. */
export function propertyOf(component: IcsComponent, name: string): IcsProperty | undefined {
  return component.properties.find((property) => property.name === name);
}

/** Returns all properties of a name. */
export function propertiesOf(component: IcsComponent, name: string): readonly IcsProperty[] {
  return component.properties.filter((property) => property.name === name);
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
