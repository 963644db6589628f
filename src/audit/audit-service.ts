import type { AuditService } from '../engine-interface.ts';
import { type AuditEntry, auditListQuery, PAGE_SIZE, pageSizeOf, parseInput } from '../model/index.ts';
import type { AuditRow, AuditStore } from '../ports/index.ts';
import { createPageTokens, type TokenSealer } from '../runtime/index.ts';

/** The audit log, for reading. */
export function createAuditService(dependencies: {
  readonly audit: AuditStore;
  /** Sealer of purpose `page:audit`. */
  readonly pageSealer: TokenSealer;
}): AuditService {
  const { audit } = dependencies;
  const pageTokens = createPageTokens<Record<string, string | undefined>>(dependencies.pageSealer);
  return {
    async list(query = {}) {
      const { pageToken, limit: wanted, pageSize, ...sent } = parseInput(auditListQuery, query);
      const limit = pageSizeOf({ limit: wanted, pageSize }, PAGE_SIZE.auditEntries);
      const { filters, after } = pageTokens.resolve('audit', pageToken, sent);
      const { from, to, actorType, ...texts } = auditListQuery.parse(filters);
      const rows = await audit.list(
        {
          ...texts,
          ...(actorType === undefined ? {} : { actorType }),
          ...(from === undefined ? {} : { from: Date.parse(from) }),
          ...(to === undefined ? {} : { to: Date.parse(to) }),
        },
        {
          ...(after === undefined ? {} : { after: { at: after.createdAt, id: after.id } }),
          limit: limit + 1,
        },
      );
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const hasMore = rows.length > limit && last !== undefined;
      return {
        data: page.map(viewEntry),
        nextPageToken: hasMore ? pageTokens.seal('audit', filters, { createdAt: last.at, id: last.id }) : null,
      };
    },
  };
}

function viewEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    applicationId: row.applicationId,
    actor: { type: row.actorType, id: row.actorId, address: row.address },
    action: row.action,
    target: row.target,
    changed: [...row.changed],
  };
}
