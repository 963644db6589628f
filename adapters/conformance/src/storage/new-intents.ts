import type { CollectionKey, IntentRow, Storage, StoredIntent } from 'kalends/ports';
import { APPLICATION, type StorageWorld } from './world.ts';

/** Lease of the intents of these tests. */
export const TTL_MS = 100;

let numbers = 0;

/** Creates an intent, by default to update the group `a`. */
export function intentRow(key: CollectionKey, patch: Partial<IntentRow> = {}): IntentRow {
  numbers += 1;
  return {
    id: numbers.toString(16).padStart(32, '0'),
    key,
    kind: 'update',
    groupIds: ['a'],
    holdsNewItems: false,
    data: { note: 'Ä' },
    idempotency: null,
    createdAt: 7,
    ...patch,
  };
}

/** Begins an intent in an existing collection. */
export async function begin(world: StorageWorld, patch: Partial<IntentRow> = {}, storage: Storage = world.storage) {
  await world.storage.mirror.ensure(world.key, { at: 1, tag: 'tag-0', timeZone: 'UTC' });
  const row = intentRow(world.key, patch);
  const begun = await storage.intents.begin(row, TTL_MS);
  return { begun, row, ref: { applicationId: APPLICATION, id: row.id, epoch: 1 } };
}

/** Reads the intent that holds a group: another one that wants the group is told of it. */
export async function holderOf(
  world: StorageWorld,
  groupId = 'a',
  storage: Storage = world.storage,
): Promise<StoredIntent | undefined> {
  const { begun, ref } = await begin(world, { groupIds: [groupId] }, storage);
  if (begun.kind === 'group-held') return begun.by;
  await storage.intents.end(ref);
  return undefined;
}
