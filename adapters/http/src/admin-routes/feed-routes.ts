import { feed, feedCreated, feedListQuery, feedPublish, parseInput } from 'kalends/model';
import { z } from 'zod';
import { bodyOf, parameter } from '../route.ts';
import { PROVIDER_FAILURES } from '../routes/mirrored-answer.ts';
import { ADMIN, type AdminRoute, callerFor, SUCCEEDED, success } from './admin-route.ts';

const tag = 'Feeds';
const path = '/admin/v1/applications/{app}/feeds';

export const feedRoutes: readonly AdminRoute[] = [
  {
    ...ADMIN,
    method: 'post',
    path,
    operationId: 'publishFeed',
    command: {
      words: 'feed create',
      next: 'No other command shows the address: store it now.',
      example: '--app app_1 --name Office --calendar acc_1/ada@example.com --detail busy',
    },
    tag,
    summary: 'Publish calendars under a secret address',
    description: 'The address opens the feed to anyone who has it, until the feed is revoked.',
    isSecret: true,
    body: { schema: feedPublish, required: true },
    answers: [{ status: 201, description: 'The feed and its address. No other answer shows it.', schema: feedCreated }],
    errors: ['NotFound', 'InvalidRefreshToken', 'CalendarSyncing', ...PROVIDER_FAILURES],
    handle: async (call) => {
      const { calendars, ...rest } = parseInput(feedPublish, bodyOf(call));
      const places = calendars.map((place) => ({
        endUserAccountId: place.slice(0, place.indexOf('/')),
        calendarId: place.slice(place.indexOf('/') + 1),
      }));
      const body = await call.engine.feeds.create(await callerFor(call), { ...rest, calendars: places });
      return { status: 201, body };
    },
  },
  {
    ...ADMIN,
    method: 'get',
    path,
    operationId: 'listPublishedFeeds',
    command: { words: 'feed list', columns: ['id', 'name', 'detail', 'createdAt'], example: '--app app_1' },
    tag,
    summary: "List an application's feeds",
    description: 'Without their addresses.',
    query: feedListQuery,
    answers: [
      {
        status: 200,
        description: 'A page of feeds, oldest first.',
        schema: z.object({ data: z.array(feed), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken', 'NotFound'],
    handle: async (call) => ({ body: await call.engine.feeds.list(await callerFor(call), call.query) }),
  },
  {
    ...ADMIN,
    method: 'delete',
    path: `${path}/{feed}`,
    operationId: 'revokeFeed',
    command: {
      words: 'feed revoke',
      positionals: ['feed'],
      confirm: 'End the feed {feed} for all who have its address?',
      next: 'The address answers 404 from now on.',
      example: 'fed_1 --app app_1',
    },
    tag,
    summary: 'End a feed',
    description: 'From now on its address answers 404.',
    answers: [{ status: 200, description: 'The feed has ended.', schema: success }],
    errors: ['NotFound'],
    handle: async (call) => {
      await call.engine.feeds.delete(await callerFor(call), parameter(call, 'feed'));
      return SUCCEEDED;
    },
  },
];
