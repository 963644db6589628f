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

/** Returns whether some of several versions of an event are events of their own: as late as the one that counts, and at another start. */
export function hasOtherEvents(components: readonly IcsComponent[], counting: IcsComponent): boolean {
  const start = startOf(counting);
  return components.some((one) => startOf(one) !== start && !isOlder(one, counting));
}

function startOf(component: IcsComponent): string {
  const start = propertyOf(component, 'dtstart');
  return start === undefined ? '' : `${start.parameters['tzid'] ?? ''}:${start.raw}`;
}

/** Returns what says which of several versions of a component counts: SEQUENCE, 0 without one, and DTSTAMP as written. */
export function versionOf(component: IcsComponent): { readonly sequence: number; readonly stamp: string } {
  const sequence = Number.parseInt(textOf(component, 'sequence'), 10);
  return {
    sequence: Number.isSafeInteger(sequence) ? sequence : 0,
    stamp: propertyOf(component, 'dtstamp')?.raw ?? '',
  };
}
