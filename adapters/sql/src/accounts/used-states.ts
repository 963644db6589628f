import type { UsedStateStore } from 'kalends/ports';
import type { SqlContext } from '../context.ts';

/** Stores the states of authorizations that have been used. */
export function usedStateStore({ database }: SqlContext): UsedStateStore {
  return {
    async mark(stateHash, expiresAt) {
      const result = await database
        .insertInto('kalends_used_state')
        .values({ state_hash: stateHash, expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('state_hash').doNothing())
        .executeTakeFirst();
      return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    async purge(before) {
      const result = await database
        .deleteFrom('kalends_used_state')
        .where('expires_at', '<', before)
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}
