import type { EventContent } from '../ports/index.ts';
import { compileMaster, type MasterSeries } from './master-series.ts';

/** Compiled series masters, for reads: those used last are kept. */
export interface CompiledMasters {
  /**
   * Compiles a master, or returns what was compiled for the same hash.
   * @param hash of the event's content, so that it is the same for equal contents alone
   */
  get(hash: string, content: EventContent): MasterSeries;
  /** How much is kept, in characters. */
  keptSize(): number;
}

/** Input of a series beside its lines. */
const SIZE_OF_ONE = 1_000;
/** About two thousand series, in some twenty megabytes. A date in a list takes seven times as many bytes as its text. */
const MOST_KEPT = 2_000_000;

export function createCompiledMasters(mostKept = MOST_KEPT): CompiledMasters {
  const kept = new Map<string, { readonly master: MasterSeries; readonly size: number }>();
  let keptSize = 0;
  return {
    get(hash, content) {
      const known = kept.get(hash);
      if (known !== undefined) {
        kept.delete(hash);
        kept.set(hash, known);
        return known.master;
      }
      const master = compileMaster(content);
      const size = SIZE_OF_ONE + recurrenceSize(content);
      if (size > mostKept) return master;
      kept.set(hash, { master, size });
      keptSize += size;
      for (const [oldest, { size: freed }] of kept) {
        if (keptSize <= mostKept) break;
        kept.delete(oldest);
        keptSize -= freed;
      }
      return master;
    },
    keptSize: () => keptSize,
  };
}

/** Compiled masters of the process, shared by all tenants: equal hashes mean equal contents. */
export const compiledMasters: CompiledMasters = createCompiledMasters();

/** Characters of the recurrence lines of an event. */
export function recurrenceSize({ recurrence }: EventContent): number {
  return recurrence === null ? 0 : recurrence.reduce((size, line) => size + line.length, 0);
}
