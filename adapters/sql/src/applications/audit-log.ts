import type { AuditStore } from 'kalends/ports';
import type { SqlContext } from '../context.ts';

/** Stores the audit log. */
export function auditStore({ database }: SqlContext): AuditStore {
  return {
    async append({ at, applicationId, actor, action, target }) {
      await database
        .insertInto('kalends_audit_entry')
        .values({ application_id: applicationId, at, actor, action, target })
        .execute();
    },
  };
}
