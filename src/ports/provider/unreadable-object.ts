import { ProviderError } from './provider-error.ts';

/**
 * An object of the provider that cannot be read. It is set aside alone: its last good version stays in the mirror, and it
 * does not count as deleted.
 */
export interface UnreadableObject {
  readonly kind: 'unreadable';
  /** Empty for an object without a usable id. */
  readonly providerEventId: string;
  /** Provider id of its series for an instance, else null. */
  readonly seriesId: string | null;
  /** Names the field and the rule, never a value. */
  readonly reason: string;
}

/** Creates the failure of reading one object. `field` is the provider's name, dotted. */
export function unreadableField(field: string, rule: string): ProviderError {
  return new ProviderError('unreadable', `${field}: ${rule}`, { field });
}

/** Instants that have a year from 1 to 9999 in every time zone: no zone is further than 15 hours from UTC. */
export const EXPRESSIBLE = {
  firstMs: Date.parse('0001-01-01T15:00:00Z'),
  lastMs: Date.parse('9999-12-31T08:59:59.999Z'),
} as const;

/**
 * Returns the instant. It must have a year from 1 to 9999 in every time zone: ISO 8601 and RFC 5545 have no other.
 * @throws ProviderError unreadable, also for NaN
 */
export function requireExpressible(field: string, epochMs: number): number {
  if (epochMs >= EXPRESSIBLE.firstMs && epochMs <= EXPRESSIBLE.lastMs) return epochMs;
  throw unreadableField(field, 'must be a time of the years 1 to 9999 in every time zone');
}

/**
 * Reads one object. A ProviderError of reason `unreadable` becomes an unreadable object; every other error is thrown, since
 * it says nothing about this object alone.
 */
export function readObject<Result>(
  { providerEventId, seriesId }: Pick<UnreadableObject, 'providerEventId' | 'seriesId'>,
  read: () => Result,
): Result | UnreadableObject {
  try {
    return read();
  } catch (error) {
    if (!ProviderError.isInstance(error) || error.reason !== 'unreadable') throw error;
    return { kind: 'unreadable', providerEventId, seriesId, reason: error.message };
  }
}

/** Does the same for a reading that takes calls of its own. */
export async function readObjectLater<Result>(
  about: Pick<UnreadableObject, 'providerEventId' | 'seriesId'>,
  read: () => Promise<Result>,
): Promise<Result | UnreadableObject> {
  const outcome = await read().then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
  return readObject(about, outcome);
}

/** Separates what was read from what could not be, each in its order. */
export function separateUnreadable<Item extends object>(
  items: readonly (Item | UnreadableObject)[],
): { readonly readable: readonly Item[]; readonly unreadable: readonly UnreadableObject[] } {
  const isUnreadable = (item: Item | UnreadableObject): item is UnreadableObject =>
    'kind' in item && item.kind === 'unreadable';
  return {
    readable: items.filter((item): item is Item => !isUnreadable(item)),
    unreadable: items.filter(isUnreadable),
  };
}
