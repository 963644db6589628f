import type { CollectionKey, Storage } from 'kalends/ports';
import type { Habits } from './habits.ts';
import type { SimulatedWorld } from './world.ts';

/**
 * Looks on at every commit and notes what must never happen: one that goes through although its lease has passed to
 * another process, one that puts older knowledge of an event in the place of newer, and one that removes an event which
 * stands at the provider and merely cannot be read.
 */
export function witness(
  storage: Storage,
  { titles }: Pick<SimulatedWorld, 'titles'>,
  { unreadable }: Pick<Habits, 'unreadable'>,
  violations: string[],
): Storage {
  const latestEpochs = new Map<string, number>();
  const known = new Map<string, string>();

  async function checkOrder(key: CollectionKey, itemId: string): Promise<void> {
    const name = `${key.calendarId} ${itemId}`;
    const item = await storage.mirror.findItem(key, itemId);
    // Exceptions take over titles of their master; a deleted event may come back with any of its titles.
    if (item === undefined || item.itemId !== item.groupId) {
      known.delete(name);
      return;
    }
    const { content } = item.content as { readonly content: { readonly title: string } | null };
    if (content === null) return;
    const before = known.get(name);
    known.set(name, content.title);
    if (before === undefined || before === content.title) return;
    const [older, newer] = [titles.get(content.title), titles.get(before)];
    // A repeated request tells a title twice.
    if (older === undefined || newer === undefined || older.last >= newer.first) return;
    violations.push(`the mirror of ${itemId} went back from "${before}" to "${content.title}"`);
  }

  return {
    ...storage,
    leases: {
      ...storage.leases,
      async claim(name, ttlMs) {
        const lease = await storage.leases.claim(name, ttlMs);
        if (lease !== undefined) latestEpochs.set(name, lease.epoch);
        return lease;
      },
    },
    mirror: {
      ...storage.mirror,
      async commit(key, commit) {
        const shown = await unreadable?.shownIn(storage, key);
        const result = await storage.mirror.commit(key, commit);
        for (const id of (shown && (await unreadable?.lostFrom(storage, key, shown))) ?? []) {
          violations.push(`a commit removed ${id}, which stands at the provider and cannot be read`);
        }
        const { lease } = commit;
        const latest = lease === undefined ? undefined : latestEpochs.get(lease.name);
        if (lease !== undefined && latest !== undefined && latest > lease.epoch) {
          violations.push(`a commit under epoch ${lease.epoch} of ${lease.name} went through after epoch ${latest}`);
        }
        if (key.calendarId !== null) for (const itemId of result.changed) await checkOrder(key, itemId);
        return result;
      },
    },
  };
}
