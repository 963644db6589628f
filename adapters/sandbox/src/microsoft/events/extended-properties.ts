import { invalidRequest } from '../api/graph-error.ts';

/** Extended properties by normalised id. */
type ExtendedProperties = Readonly<Record<string, { readonly id: string; readonly value: string }>>;

const PROPERTY_ID =
  /^(String|Integer|Boolean|Double|Float|CLSID|SystemTime)\s+(\{[0-9a-fA-F-]{36}\})\s+(Name|Id)\s+(.+)$/;

/**
 * Returns the key of a property: the GUID in lower case, the name as it is.
 * @throws GraphError 400 for an id that is not in MAPI's form
 */
export function extendedPropertyKey(id: string): string {
  const [, type, guid, kind, name] = PROPERTY_ID.exec(id) ?? [];
  if (guid === undefined) {
    throw invalidRequest(`The property id '${id}' is invalid; expected 'String {guid} Name name'.`);
  }
  return `${type} ${guid.toLowerCase()} ${kind} ${name}`;
}

/** Returns the properties after a write: a null value removes one, the others stay. */
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
