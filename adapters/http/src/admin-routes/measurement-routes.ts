import { measurementList, measurementQuery } from 'kalends/model';
import { ADMIN, type AdminRoute } from './admin-route.ts';

export const measurementRoutes: readonly AdminRoute[] = [
  {
    ...ADMIN,
    method: 'get',
    path: '/admin/v1/measurements',
    operationId: 'listMeasurements',
    command: {
      words: 'measurements',
      columns: ['name', 'provider', 'result', 'count', 'sum', 'max'],
      example: '--since 2027-01-31T00:00:00Z --until 2027-02-01T00:00:00Z --step-ms 900000',
    },
    tag: 'Measurements',
    summary: 'List what all processes have measured',
    description:
      'Requests, provider calls, pulls, deliveries, and the work that was due, in steps of whole minutes. They are kept for 48 hours. A process stores what it has measured every 15 seconds.',
    query: measurementQuery,
    answers: [{ status: 200, description: 'The series, each with its steps.', schema: measurementList }],
    errors: [],
    handle: async ({ engine, query }) => ({ body: await engine.operations.listMeasurements(query) }),
  },
];
