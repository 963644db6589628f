import type { OperationExample } from '../operation-example.ts';

/** Recorded by `npm run openapi:examples` from requests to the demo's calendars. */
export const ADMIN_MEASUREMENTS: Readonly<Record<string, OperationExample>> = {
  listMeasurements: {
    query: {
      names: 'pulls,deliveries',
      stepMs: '300000',
    },
    status: 200,
    response: {
      since: '2027-03-01T08:00:00.000Z',
      until: '2027-03-01T09:00:17.000Z',
      stepMs: 300000,
      data: [
        {
          name: 'pulls',
          provider: 'PROVIDER_A',
          result: 'ok',
          count: 3,
          sum: 0,
          max: 0,
          points: [
            {
              at: '2027-03-01T09:00:00.000Z',
              count: 3,
              sum: 0,
              max: 0,
            },
          ],
        },
      ],
    },
  },
};
