import { reminders } from 'kalends/model';
import { z } from 'zod';
import { type WireProperty, wireRecurrence } from './event-wire.ts';

/**
 * Values that Graph has no field for are recorded with the event in three extended properties of one namespace. They hold
 * JSON, because Graph returns only properties that are requested by name.
 */
const PROPERTY_NAMESPACE = '{5f1c1d2e-8a37-4c0b-9b6d-3e0f6f5a9c41}';

/** Returns the id of one extended property of ours. */
export function propertyId(name: string): string {
  return `String ${PROPERTY_NAMESPACE} Name ${name}`;
}

const PUBLIC = propertyId('kalends.public');
const PRIVATE = propertyId('kalends.private');
const DETAILS = propertyId('kalends.details');
const REQUEST = propertyId('kalends.request');

/** Returns an `$expand` for extended properties by their ids. */
export function expandProperties(ids: readonly string[]): string {
  return `singleValueExtendedProperties($filter=${ids.map((id) => `id eq '${id}'`).join(' or ')})`;
}

/** The `$expand` of an event's recorded properties. */
export const EXPAND_KEPT: string = expandProperties([PUBLIC, PRIVATE, DETAILS]);

/** Returns the property that finds the event of a request again. */
export function requestProperty(requestId: string): WireProperty {
  return { id: REQUEST, value: requestId };
}

/** Returns a `$filter` for the event of a request. */
export function requestFilter(requestId: string): string {
  return `singleValueExtendedProperties/any(p: p/id eq '${REQUEST}' and p/value eq '${requestId}')`;
}

const keptZone = z.object({ name: z.string(), sentAs: z.string(), at: z.number().optional() });

const details = z.object({
  colorId: z.string().optional(),
  customColor: z.string().optional(),
  startZone: keptZone.optional(),
  endZone: keptZone.optional(),
  /** Graph has no `public`; valid while the sensitivity is normal. */
  visibility: z.literal('public').optional(),
  /** Out of office but free; valid while the event is shown as free. */
  eventType: z.literal('outOfOffice').optional(),
  /** Tentative but free or out of office; valid while the event is shown so. */
  status: z.literal('tentative').optional(),
  /** Reminders beyond Graph's one; valid while that one is unchanged. */
  reminders: reminders.optional(),
  /** A description that the body does not preserve; valid while the body is unchanged. */
  description: z.string().optional(),
  /** The lines as written; valid while they equal Graph's pattern. */
  recurrence: z.array(z.string()).optional(),
  /** The pattern of a series while it is removed. */
  suspended: wireRecurrence.optional(),
  /** Of an exception: fields written to it, and keys as `public:` or `private:` with the key. */
  own: z.array(z.string()).optional(),
  /** Of an exception: its `showAs` at the last write of transparency, event type or status. */
  ownShowAs: z.string().optional(),
});

const strings = z.record(z.string(), z.string());

export type KeptDetails = z.infer<typeof details>;

/** All recorded properties of an event. */
export interface KeptProperties {
  readonly public: Readonly<Record<string, string>>;
  readonly private: Readonly<Record<string, string>>;
  readonly details: KeptDetails;
}

/** Reads the recorded properties; an unreadable value counts as absent. */
export function readKept(properties: readonly WireProperty[] | null | undefined): KeptProperties {
  return {
    public: readValue(properties, PUBLIC, strings) ?? {},
    private: readValue(properties, PRIVATE, strings) ?? {},
    details: readValue(properties, DETAILS, details) ?? {},
  };
}

/**
 * Whether a recorded value of a list is only the beginning of an object. The tables of Exchange that lists are made from hold no
 * more of a long text: a read of the event by its id has it whole.
 */
export function isCut(properties: readonly WireProperty[] | null | undefined): boolean {
  return [PUBLIC, PRIVATE, DETAILS].some((id) => {
    const text = textOf(properties, id);
    return text?.startsWith('{') === true && parseJson(text) === undefined;
  });
}

/** Returns the JSON value of one extended property, if present and valid. */
export function readValue<T>(
  properties: readonly WireProperty[] | null | undefined,
  id: string,
  schema: z.ZodType<T>,
): T | undefined {
  const text = textOf(properties, id);
  return text === undefined ? undefined : schema.safeParse(parseJson(text)).data;
}

function textOf(properties: readonly WireProperty[] | null | undefined, id: string): string | undefined {
  // Exchange returns the namespace in its own case.
  return properties?.find((property) => property.id.toLowerCase() === id.toLowerCase())?.value || undefined;
}

/** Undefined for a text that is no JSON: there is no JSON for it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the properties that change the record from `before` to `next`: only those that differ. */
export function writeKept(before: KeptProperties, next: KeptProperties): WireProperty[] {
  const pairs = [
    [PUBLIC, before.public, next.public],
    [PRIVATE, before.private, next.private],
    [DETAILS, before.details, next.details],
  ] as const;
  return pairs.flatMap(([id, old, value]) => {
    const [was, is] = [canonicalJson(old), canonicalJson(value)];
    return was === is ? [] : [{ id, value: is }];
  });
}

/** Returns the recorded properties in Graph's form. */
export function keptWire(kept: KeptProperties): WireProperty[] {
  return writeKept({ public: {}, private: {}, details: {} }, kept);
}

/** Returns JSON with sorted keys, so that equal contents are equal texts. */
export function canonicalJson(value: object): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
