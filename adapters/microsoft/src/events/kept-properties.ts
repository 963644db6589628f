import { reminders } from 'kalends/model';
import { z } from 'zod';
import { type WireProperty, wireRecurrence } from './event-wire.ts';

/**
 * What Graph has no field for is kept with the event in three extended properties of one namespace. They hold JSON,
 * because Graph cannot list properties whose names it is not told.
 */
const PROPERTY_NAMESPACE = '{5f1c1d2e-8a37-4c0b-9b6d-3e0f6f5a9c41}';

/** The id of one extended property of ours. */
export function propertyId(name: string): string {
  return `String ${PROPERTY_NAMESPACE} Name ${name}`;
}

const PUBLIC = propertyId('kalends.public');
const PRIVATE = propertyId('kalends.private');
const DETAILS = propertyId('kalends.details');
const REQUEST = propertyId('kalends.request');

/** An `$expand` for extended properties by their ids. */
export function expandProperties(ids: readonly string[]): string {
  return `singleValueExtendedProperties($filter=${ids.map((id) => `id eq '${id}'`).join(' or ')})`;
}

/** The `$expand` that brings an event's kept properties along. */
export const EXPAND_KEPT: string = expandProperties([PUBLIC, PRIVATE, DETAILS]);

/** The property by which the event made for a request is found again. */
export function requestProperty(requestId: string): WireProperty {
  return { id: REQUEST, value: requestId };
}

/** A `$filter` for the event made for a request. */
export function requestFilter(requestId: string): string {
  return `singleValueExtendedProperties/any(p: p/id eq '${REQUEST}' and p/value eq '${requestId}')`;
}

const keptZone = z.object({ name: z.string(), sentAs: z.string() });

const details = z.object({
  colorId: z.string().optional(),
  customColor: z.string().optional(),
  startZone: keptZone.optional(),
  endZone: keptZone.optional(),
  /** Graph has no `public`; it counts while the sensitivity is normal. */
  visibility: z.literal('public').optional(),
  /** Out of office but free; it counts while the event is shown as free. */
  eventType: z.literal('outOfOffice').optional(),
  /** Reminders beyond Graph's one; they count while that is the one that was written for them. */
  reminders: reminders.optional(),
  /** A description that would not come back as it was written; it counts while the body says the same. */
  description: z.string().optional(),
  /** The lines as they were written; they count while they say what Graph holds. */
  recurrence: z.array(z.string()).optional(),
  /** The pattern of a series while it is taken away. */
  suspended: wireRecurrence.optional(),
  /** Of an exception: what was written to it, as names of fields and `public:` or `private:` with a key. */
  own: z.array(z.string()).optional(),
  /** Of an exception: how it was shown when its transparency or event type was written last. */
  ownShowAs: z.string().optional(),
});

const strings = z.record(z.string(), z.string());

export type KeptDetails = z.infer<typeof details>;

/** Everything that is kept with an event. */
export interface KeptProperties {
  readonly public: Readonly<Record<string, string>>;
  readonly private: Readonly<Record<string, string>>;
  readonly details: KeptDetails;
}

/** Reads what is kept; a value that cannot be read counts as absent. */
export function readKept(properties: readonly WireProperty[] | null | undefined): KeptProperties {
  return {
    public: readValue(properties, PUBLIC, strings) ?? {},
    private: readValue(properties, PRIVATE, strings) ?? {},
    details: readValue(properties, DETAILS, details) ?? {},
  };
}

/** The JSON value of one extended property, if it is there and fits. */
export function readValue<T>(
  properties: readonly WireProperty[] | null | undefined,
  id: string,
  schema: z.ZodType<T>,
): T | undefined {
  // Exchange gives the namespace back in its own case.
  const value = properties?.find((property) => property.id.toLowerCase() === id.toLowerCase())?.value;
  if (!value) return undefined;
  try {
    const parsed = schema.safeParse(JSON.parse(value));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** The properties to send so that `next` is kept where `before` was: only those that differ. */
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

/** Properties that say what is kept, as Graph would give them. */
export function keptWire(kept: KeptProperties): WireProperty[] {
  return writeKept({ public: {}, private: {}, details: {} }, kept);
}

/** JSON with sorted keys, so that equal contents are equal texts. */
export function canonicalJson(value: object): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
