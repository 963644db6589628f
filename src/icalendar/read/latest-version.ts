import { type IcsComponent, propertyOf, textOf } from '../text/component.ts';

/** Returns the version of a component that counts: the one with the highest SEQUENCE, then DTSTAMP; of equal ones the last. */
export function latest(components: readonly IcsComponent[]): IcsComponent | undefined {
  return components.reduce<IcsComponent | undefined>(
    (best, component) => (best === undefined || !isOlder(component, best) ? component : best),
    undefined,
  );
}

/** Returns whether a version of a component is older than another. */
export function isOlder(one: IcsComponent, other: IcsComponent): boolean {
  const [a, b] = [versionOf(one), versionOf(other)];
  return a.sequence < b.sequence || (a.sequence === b.sequence && a.stamp < b.stamp);
}

/** Returns what says which of several versions of a component counts: SEQUENCE, 0 without one, and DTSTAMP as written. */
export function versionOf(component: IcsComponent): { readonly sequence: number; readonly stamp: string } {
  const sequence = Number.parseInt(textOf(component, 'sequence'), 10);
  return {
    sequence: Number.isSafeInteger(sequence) ? sequence : 0,
    stamp: propertyOf(component, 'dtstamp')?.raw ?? '',
  };
}
