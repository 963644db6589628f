import { diagnosis } from 'kalends/model';
import { ADMIN, type AdminRoute } from './admin-route.ts';

export const diagnosisRoutes: readonly AdminRoute[] = [
  {
    ...ADMIN,
    method: 'get',
    path: '/admin/v1/diagnosis',
    operationId: 'diagnose',
    command: { words: 'doctor', columns: ['status', 'check', 'message', 'remedy'], example: '' },
    tag: 'Diagnosis',
    summary: 'Check the running system',
    description:
      'Checks the database, the secrets, the public URL and push address, clocks, tz data, OAuth clients and the host. It takes up to twenty seconds. A failed check is a finding, not an error of the request.',
    answers: [{ status: 200, description: 'The findings, and the worst status of them.', schema: diagnosis }],
    errors: [],
    handle: async ({ engine, caller }) => ({ body: await engine.operations.diagnose(caller) }),
  },
];
