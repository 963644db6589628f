import { servedData } from '../objects/object-store.ts';
import { describe, KEYS, type PropWish } from '../properties.ts';
import type { DavCall, ObjectResource } from '../resources.ts';
import { escapeXml } from '../wire/print-xml.ts';
import { propNames, type XmlElement } from '../wire/read-xml.ts';

/** Returns the properties that a report asks for. */
export function wishOf(root: XmlElement): PropWish {
  const names = propNames(root);
  return names === undefined ? 'all' : { names };
}

/** Prints an object with its body, if that is asked for. */
export function describeObject(call: DavCall, resource: ObjectResource, wish: PropWish): string {
  const { object } = resource;
  const more = object === undefined ? {} : { [KEYS.data]: () => escapeXml(servedData(object)) };
  return describe(call, resource, wish, more);
}
