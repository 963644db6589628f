import type { EventTimes } from './busy-form.ts';
import { compileMaster, type MasterSeries } from './master-series.ts';

/** Caches compiled series masters for reads; evicts the least recently used. */
export interface CompiledMasters {
  /**
   * Returns the compiled master of a content hash, compiling it on the first call.
   * @param hash hash of the event's content: equal only for equal contents
   */
  get(hash: string, content: EventTimes): MasterSeries;
  /** Size of the cache in characters. */
  size(): number;
}

/** Size of a series beside its recurrence lines. */
const BASE_SIZE = 1_000;
/** About 2,000 series in 20 MB. A listed date takes seven times the bytes of its text. */
const MAX_SIZE = 2_000_000;

export function createCompiledMasters(maxSize = MAX_SIZE): CompiledMasters {
  const cached = new Map<string, { readonly master: MasterSeries; readonly size: number }>();
  let total = 0;
  return {
    get(hash, content) {
      const known = cached.get(hash);
      if (known !== undefined) {
        cached.delete(hash);
        cached.set(hash, known);
        return known.master;
      }
      const master = compileMaster(content);
      const size = BASE_SIZE + recurrenceSize(content);
      if (size > maxSize) return master;
      cached.set(hash, { master, size });
      total += size;
      for (const [oldest, { size: freed }] of cached) {
        if (total <= maxSize) break;
        cached.delete(oldest);
        total -= freed;
      }
      return master;
    },
    size: () => total,
  };
}

/** The process's compiled masters. Tenants share them: equal hashes imply equal contents. */
export const compiledMasters: CompiledMasters = createCompiledMasters();

/** Returns the number of characters of an event's recurrence lines. */
export function recurrenceSize({ recurrence }: Pick<EventTimes, 'recurrence'>): number {
  return recurrence === null ? 0 : recurrence.reduce((size, line) => size + line.length, 0);
}
