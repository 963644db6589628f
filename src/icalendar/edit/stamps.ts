import { type IcsComponent, propertiesOf, propertyOf, textOf, withProperty } from '../text/component.ts';
import { writeContentLine } from '../text/content-line.ts';
import { utcStamp } from '../write/write-times.ts';

/** A change of one of these is a new revision of the organizer's (RFC 5545 §3.8.7.4, RFC 5546 §2.1.4). */
const SIGNIFICANT = 'dtstart dtend duration rrule exrule rdate exdate status'.split(' ');

/**
 * Returns a changed component with DTSTAMP and LAST-MODIFIED of now, and, where the organizer's change is significant, the next SEQUENCE.
 * One that is as before stays so.
 */
export function stamped(
  component: IcsComponent,
  before: IcsComponent,
  { now, isOrganizer }: { readonly now: number; readonly isOrganizer: boolean },
): IcsComponent {
  if (component === before) return component;
  const stamp = utcStamp(now);
  let next = withProperty(component, 'dtstamp', writeContentLine('DTSTAMP', stamp));
  next = withProperty(next, 'last-modified', writeContentLine('LAST-MODIFIED', stamp));
  const isRevision = isOrganizer && SIGNIFICANT.some((name) => linesOf(component, name) !== linesOf(before, name));
  if (!isRevision) return next;
  const sequence = Number.parseInt(textOf(before, 'sequence'), 10);
  const raised = Number.isSafeInteger(sequence) && sequence >= 0 ? Math.min(sequence + 1, MOST_SEQUENCE) : 1;
  return withProperty(next, 'sequence', writeContentLine('SEQUENCE', String(raised)));
}

/** An INTEGER has 32 bits (RFC 5545 §3.3.8). */
const MOST_SEQUENCE = 2_147_483_647;

function linesOf(component: IcsComponent, name: string): string {
  return propertiesOf(component, name)
    .map(({ line }) => line)
    .join('\n');
}

/** Returns whether a component says that it is cancelled. */
export function isCancelledComponent(component: IcsComponent): boolean {
  return propertyOf(component, 'status')?.raw.toUpperCase() === 'CANCELLED';
}
