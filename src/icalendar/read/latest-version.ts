import { type IcsZones, instantOf } from '../../zones/index.ts';
import { type IcsComponent, propertyOf, textOf } from '../text/component.ts';
import { wallMs } from './ics-times.ts';
import { startOf } from './read-times.ts';

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
export function hasOtherEvents(components: readonly IcsComponent[], counting: IcsComponent, zones: IcsZones): boolean {
  const spelled = spelledStart(counting);
  // Reading costs: only where programs spell starts in ways of their own.
  const others = components.filter((one) => spelledStart(one) !== spelled && !isOlder(one, counting));
  if (others.length === 0) return false;
  const start = readStart(counting, zones);
  return others.some((one) => readStart(one, zones) !== start);
}

function spelledStart(component: IcsComponent): string {
  const start = propertyOf(component, 'dtstart');
  return start === undefined ? '' : `${start.parameters['tzid'] ?? ''}:${start.raw}`;
}

/** Returns the instant of a start, or its date; a start that cannot be read as it is spelled. */
function readStart(component: IcsComponent, zones: IcsZones): number | string {
  try {
    const { wall, timeZone } = startOf(component, zones);
    return wall.length === 10 ? wall : instantOf(timeZone, wallMs(wall));
  } catch {
    return spelledStart(component);
  }
}

/** Returns what says which of several versions of a component counts: SEQUENCE, 0 without one, and DTSTAMP as written. */
export function versionOf(component: IcsComponent): { readonly sequence: number; readonly stamp: string } {
  const sequence = Number.parseInt(textOf(component, 'sequence'), 10);
  return {
    sequence: Number.isSafeInteger(sequence) ? sequence : 0,
    stamp: propertyOf(component, 'dtstamp')?.raw ?? '',
  };
}
