import { PLACEHOLDER } from './placeholder.ts';
import { type Exchange, isObject, type Json, type JsonObject } from './transcript.ts';

/** Number of each object of a case, in the order in which the case met them, by the placeholder of the id. */
export type Labels = ReadonlyMap<string, number>;

/**
 * Numbers the objects that a case names in a request or gets alone. Objects that only lists show have no number: they were there
 * before, and differ from account to account.
 */
export function labelItems(exchanges: readonly Exchange[]): Labels {
  const labels = new Map<string, number>();
  const add = (value: Json | undefined) => {
    if (typeof value !== 'string') return;
    for (const [id] of value.matchAll(PLACEHOLDER)) if (!labels.has(id)) labels.set(id, labels.size + 1);
  };
  for (const { path, responseBody } of exchanges) {
    for (const segment of path) add(segment);
    if (isObject(responseBody)) add(responseBody['id']);
  }
  return labels;
}

/** Returns what identifies an item of a list in both transcripts; undefined for one that only lists show. */
export function identityOf(item: Json | undefined, labels: Labels): string | undefined {
  if (!isObject(item)) return undefined;
  for (const key of ['id', 'recurringEventId', 'seriesMasterId']) {
    const id = item[key];
    if (typeof id !== 'string') continue;
    const label = labels.get(id.match(PLACEHOLDER)?.[0] ?? '');
    if (label !== undefined) return `${key} ${label} ${slotOf(item)}`;
  }
  return undefined;
}

/** Returns the slot of an instance, by which it is told from the others of its series. */
function slotOf(item: JsonObject): string {
  return JSON.stringify(item['originalStartTime'] ?? item['originalStart'] ?? item['start'] ?? null);
}
