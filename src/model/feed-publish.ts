import { z } from 'zod';
import { feedCreate } from './feed.ts';

const { name, detail } = feedCreate.shape;

/** Body of POST /admin/v1/applications/{applicationId}/feeds. */
export const feedPublish = z
  .strictObject({
    name,
    calendars: z
      .array(
        z.string().regex(/^[^/]+\/./, 'must be the ids of an account and its calendar, as in acc_1/ada@example.com'),
      )
      .min(1)
      .max(20)
      .describe('Its calendars, each as `ACCOUNT/CALENDAR`.'),
    detail,
  })
  .meta({ id: 'FeedPublish', description: 'A feed to publish, its calendars in one word each.' });
