import { activityQuery, parseInput, streamedActivity } from 'kalends/model';
import { eventStream } from '../event-stream.ts';
import { ADMIN, type AdminRoute } from './admin-route.ts';

export const activityRoutes: readonly AdminRoute[] = [
  {
    ...ADMIN,
    method: 'get',
    path: '/admin/v1/activity',
    operationId: 'streamActivity',
    command: {
      words: 'activity',
      example: '--types pull.ended,delivery.attempted',
    },
    tag: 'Activity',
    summary: 'Follow what the answering process does',
    description:
      'Notifications, pulls, messages, deliveries, statuses of accounts and audit entries of the process that answers, as they happen: Server-Sent Events, each with its type as `event` and one object of JSON as `data`. There is no replay: after a reconnection, read again what you show. A reader that is too slow loses the oldest ones, and gets `activities.lost` with their number. A comment every 15 seconds keeps the connection open. The stream ends after an hour, and within 15 seconds when its reader is no longer admitted.',
    query: activityQuery,
    isStream: true,
    answers: [
      {
        status: 200,
        description: 'A stream of activities. The schema is that of the `data` of each event.',
        schema: streamedActivity,
      },
    ],
    errors: ['NotFound'],
    async handle({ engine, query, clock, stopping, isAdmitted }) {
      const { applicationId, types } = parseInput(activityQuery, query);
      if (applicationId !== undefined) await engine.applications.get(applicationId);
      const wanted = types === undefined ? undefined : new Set(types.split(','));
      return eventStream(
        { clock, stopping, isAdmitted },
        {
          subscribe: (push, end) =>
            engine.activity.subscribe(
              (each) => {
                if (applicationId !== undefined && each.applicationId !== applicationId) return;
                if (wanted?.has(each.type) !== false) push(each);
              },
              { ended: end },
            ),
          lost: (lost) => ({ type: 'activities.lost', at: new Date(clock.now()).toISOString(), lost }),
        },
      );
    },
  },
];
