import { createHash } from 'node:crypto';
import { type IcsComponent, textOf } from '../text/component.ts';

/** Returns the UID; a text without one gets one made from its content, so that a second reading finds the same. */
export function uidOf(component: IcsComponent): string {
  const uid = textOf(component, 'uid').trim();
  if (uid !== '') return uid;
  const content = component.properties.filter(({ name }) => !VOLATILE.has(name)).map(({ line }) => line);
  return `${createHash('sha256').update(content.join('\n')).digest('hex').slice(0, 32)}@kalends.invalid`;
}

/** Many programs write these anew each time. Lines that are no properties, of no name, do not count either. */
const VOLATILE = new Set(['dtstamp', 'created', 'last-modified', 'sequence', 'uid', '']);
