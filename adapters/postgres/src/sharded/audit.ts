import type { AuditStore } from 'kalends/ports';
import { StorageUnavailableError } from 'kalends/ports';
import type { Shard } from './shard.ts';

const AT_ONCE = 500;

/** The audit log is in the home database. */
export function shardedAudit(home: Shard): AuditStore {
  return home.storage.audit;
}

/**
 * Brings entries that were written with a change in a shard to the log in the home database. When one of the two is away, the next
 * reconciliation does.
 */
export async function forwardAudit(home: Shard, shard: Shard): Promise<void> {
  if (shard.isHome) return;
  try {
    for (;;) {
      const rows = await shard.read<{ readonly id: string; readonly entry: string }>(
        `select id, to_json(e)::text as entry from kalends_audit_entry e order by at, id limit ${AT_ONCE}`,
      );
      if (rows.length === 0) return;
      await home.write(
        `insert into kalends_audit_entry select * from json_populate_recordset(null::kalends_audit_entry, $1::json)
          on conflict (id) do nothing`,
        [`[${rows.map(({ entry }) => entry).join(',')}]`],
      );
      await shard.write('delete from kalends_audit_entry where id = any($1::text[])', [rows.map(({ id }) => id)]);
    }
  } catch (error) {
    if (!StorageUnavailableError.isInstance(error)) throw error;
  }
}
