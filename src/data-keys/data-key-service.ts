import {
  type Clock,
  type DataKeyKind,
  type DataKeyRow,
  KalendsError,
  type Sealer,
  type Storage,
} from '../ports/index.ts';
import type { DataKeyService, RewrapReport, UnopenedDataKey } from '../services.ts';
import { keyOwner } from './key-owner.ts';

const PAGE_SIZE = 100;
/** So many of the keys that do not open are named. */
const NAMED = 50;
const KINDS: readonly DataKeyKind[] = ['client', 'credential', 'target'];

type Outcome = 'rewrapped' | 'current' | 'removed' | { readonly reason: string };

/**
 * Wraps stored data keys anew under the current secret, page by page and row by row. What they sealed stays as it is, so
 * nobody who reads or replaces it meanwhile is disturbed; of several who do the same work each key is wrapped by one.
 */
export function createDataKeyService(dependencies: {
  readonly storage: Pick<Storage, 'dataKeys'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
}): DataKeyService {
  const { storage, sealer, clock } = dependencies;

  const rewrap = async (row: DataKeyRow): Promise<Outcome> => {
    let { wrappedKey } = row;
    for (;;) {
      let next: string | null;
      try {
        next = await sealer.rewrap(wrappedKey, keyOwner(row));
      } catch (error) {
        if (KalendsError.isInstance(error)) return { reason: error.message };
        throw error;
      }
      if (next === null) return 'current';
      const stored = await storage.dataKeys.replace({ ...row, wrappedKey }, next);
      if (stored === undefined) return 'removed';
      if (stored === next) return 'rewrapped';
      // Somebody else was faster: another process with the same work, or a new connection under a key of its own.
      wrappedKey = stored;
    }
  };

  return {
    async rewrap({ pauseMs = 0, signal, progress } = {}) {
      const count = { rewrapped: 0, current: 0, unopened: 0 };
      const unopenedKeys: UnopenedDataKey[] = [];
      const report = (): RewrapReport => ({ ...count, unopenedKeys: [...unopenedKeys] });
      for (const kind of KINDS) {
        let after = '';
        for (;;) {
          const page = await storage.dataKeys.list(kind, { after, limit: PAGE_SIZE });
          for (const row of page) {
            signal?.throwIfAborted();
            const outcome = await rewrap(row);
            if (typeof outcome === 'object') {
              count.unopened += 1;
              if (unopenedKeys.length < NAMED) unopenedKeys.push({ ...named(row), ...outcome });
            } else if (outcome !== 'removed') count[outcome] += 1;
          }
          if (page.length > 0) progress?.(report());
          if (page.length < PAGE_SIZE) break;
          after = page[PAGE_SIZE - 1]!.id;
          if (pauseMs > 0) await clock.sleep(pauseMs, signal);
        }
      }
      return report();
    },
  };
}

function named(row: DataKeyRow): Omit<UnopenedDataKey, 'reason'> {
  const { applicationId } = row;
  switch (row.kind) {
    case 'client':
      return { applicationId, providerType: row.providerType };
    case 'credential':
      return { applicationId, accountId: row.accountId };
    case 'target':
      return { applicationId, targetId: row.id };
  }
}
