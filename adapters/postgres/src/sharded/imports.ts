import type { ImportHold, ImportRow, ImportStore } from 'kalends/ports';
import { forwardAudit } from './audit.ts';
import type { ShardedContext } from './context.ts';
import { underLease } from './leases.ts';
import { ofKey, routedStore } from './routed-store.ts';
import { purgeInTurns } from './sums.ts';

/** Stores imports with their accounts. */
export function shardedImports(context: ShardedContext): ImportStore {
  const { shards, router } = context;
  /** Runs a call of a holder where the import is. */
  const held = (hold: ImportHold, work: (imports: ImportStore) => Promise<void>) =>
    router.write(hold.accountId, ({ imports }, shard) =>
      underLease(shards.home, shard, hold.lease, () => work(imports)),
    );
  return {
    ...routedStore(context, 'imports', { find: 'read', count: 'read', listProblems: 'read', nextItems: 'read' }, ofKey),
    addItems: (hold, items) => held(hold, (imports) => imports.addItems(hold, items)),
    change: (hold, change) => held(hold, (imports) => imports.change(hold, change)),
    match: (hold, events) => held(hold, (imports) => imports.match(hold, events)),
    beginItem: (hold, uidKey) => held(hold, (imports) => imports.beginItem(hold, uidKey)),
    settleItem: (hold, uidKey, outcome) => held(hold, (imports) => imports.settleItem(hold, uidKey, outcome)),
    failItem: (hold, uidKey) => held(hold, (imports) => imports.failItem(hold, uidKey)),
    discard: (hold) => held(hold, (imports) => imports.discard(hold)),
    async begin(row, audit) {
      const begun = await router.write(row.accountId, ({ imports }) => imports.begin(row, audit));
      if (begun === 'begun' && audit !== undefined) {
        await forwardAudit(shards.home, (await router.shardOf(row.accountId)).shard);
      }
      return begun;
    },
    async listDue(limit) {
      const due: ImportRow[] = [];
      for (const shard of shards.rotated()) {
        if (due.length >= limit) break;
        const rest = limit - due.length;
        due.push(...((await shards.askInTime(shard, ({ imports }) => imports.listDue(rest)))?.answer ?? []));
      }
      return due;
    },
    purge: (before, limit) => purgeInTurns(shards, limit, ({ imports }, left) => imports.purge(before, left)),
  };
}
