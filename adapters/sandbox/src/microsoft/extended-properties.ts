import { invalidRequest } from './graph-error.ts';

/** Extended properties by normalised id. */
type ExtendedProperties = Readonly<Record<string, { readonly id: string; readonly value: string }>>;

const PROPERTY_ID =
  /^(String|Integer|Boolean|Double|Float|CLSID|SystemTime)\s+(\{[0-9a-fA-F-]{36}\})\s+(Name|Id)\s+(.+)$/;

/**
 * The key under which a property is kept: the GUID without case, the name with it.
 * @throws GraphError 400 for an id that MAPI would not know
 */
export function extendedPropertyKey(id: string): string {
  const match = PROPERTY_ID.exec(id);
  if (!match) throw invalidRequest(`The property id '${id}' is invalid; expected 'String {guid} Name name'.`);
  return `${match[1]} ${match[2]!.toLowerCase()} ${match[3]} ${match[4]}`;
}

/** The properties after a write; a null value removes one, the ones not named stay. */
export function mergeExtendedProperties(
  current: ExtendedProperties,
  written: readonly { readonly id: string; readonly value?: string | null | undefined }[],
): ExtendedProperties {
  const next = { ...current };
  for (const { id, value } of written) {
    const key = extendedPropertyKey(id);
    if (value === null || value === undefined) delete next[key];
    else next[key] = { id, value };
  }
  return next;
}
