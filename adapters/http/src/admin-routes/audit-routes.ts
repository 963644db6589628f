import { auditEntry, auditListQuery } from 'kalends/model';
import { z } from 'zod';
import { ADMIN, type AdminRoute } from './admin-route.ts';

export const auditRoutes: readonly AdminRoute[] = [
  {
    ...ADMIN,
    method: 'get',
    path: '/admin/v1/auditLog',
    operationId: 'listAuditLog',
    command: {
      words: 'audit list',
      columns: ['at', 'actor.type', 'actor.id', 'action', 'target', 'applicationId', 'changed'],
      example: '--app app_1 --from 2027-01-31T00:00:00Z',
    },
    tag: 'Audit log',
    summary: 'List the audit log',
    description: 'Who changed applications, OAuth clients, keys, accounts and secrets, and who read credentials.',
    query: auditListQuery,
    answers: [
      {
        status: 200,
        description: 'A page of entries, newest first.',
        schema: z.object({ data: z.array(auditEntry), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken'],
    handle: async ({ engine, query }) => ({ body: await engine.audit.list(query) }),
  },
];
