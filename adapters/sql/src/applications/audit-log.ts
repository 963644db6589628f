import type { AuditRow, AuditStore } from 'kalends/ports';
import type { Kysely, Selectable } from 'kysely';
import type { SqlContext } from '../context.ts';
import type { Tables } from '../schema/schema.ts';
import { noteChange } from '../statements/commit-feed.ts';

/** Stores the audit log. */
export function auditStore({ database, reader, commits }: SqlContext): AuditStore {
  return {
    async append(entry) {
      await writeAudit(database, entry);
      commits.tell({ kind: 'audit', entry });
    },
    async list({ applicationId, actorType, actorId, action, target, from, to }, { after, limit }) {
      let query = reader
        .selectFrom('kalends_audit_entry')
        .selectAll()
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      if (applicationId !== undefined) query = query.where('application_id', '=', applicationId);
      if (actorType !== undefined) query = query.where('actor_type', '=', actorType);
      if (actorId !== undefined) query = query.where('actor_id', '=', actorId);
      if (action !== undefined) query = query.where('action', '=', action);
      if (target !== undefined) query = query.where('target', '=', target);
      if (from !== undefined) query = query.where('at', '>=', from);
      if (to !== undefined) query = query.where('at', '<', to);
      if (after !== undefined) {
        query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<', tuple(after.at, after.id)));
      }
      return (await query.execute()).map(toAudit);
    },
    async purge(before, limit) {
      const result = await database
        .deleteFrom('kalends_audit_entry')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('kalends_audit_entry')
            .select('id')
            .where('at', '<', before)
            .orderBy('at')
            .orderBy('id')
            .limit(limit),
        )
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

/** Writes an entry, within the transaction of what it tells of; nothing without one. */
export async function writeAudit(transaction: Kysely<Tables>, entry: AuditRow | undefined): Promise<void> {
  if (entry === undefined) return;
  await transaction
    .insertInto('kalends_audit_entry')
    .values({
      id: entry.id,
      at: entry.at,
      application_id: entry.applicationId,
      actor_type: entry.actorType,
      actor_id: entry.actorId,
      address: entry.address,
      action: entry.action,
      target: entry.target,
      changed: JSON.stringify(entry.changed),
    })
    .execute();
  noteChange(transaction, { kind: 'audit', entry });
}

function toAudit(row: Selectable<Tables['kalends_audit_entry']>): AuditRow {
  return {
    id: row.id,
    at: row.at,
    applicationId: row.application_id,
    actorType: row.actor_type,
    actorId: row.actor_id,
    address: row.address,
    action: row.action,
    target: row.target,
    changed: JSON.parse(row.changed),
  };
}
