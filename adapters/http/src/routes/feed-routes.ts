import { feed, feedCreate, feedCreated, feedListQuery } from 'kalends/model';
import { z } from 'zod';
import { acceptsGzip, calendarText } from '../calendar-text.ts';
import { bodyOf, parameter, REVALIDATE, type Route } from '../route.ts';
import { PROVIDER_FAILURES } from './mirrored-answer.ts';

const tag = 'Feeds';

/** Routes of published feeds, and of their public reading: an extension. */
export const feedRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/feeds',
    operationId: 'listFeeds',
    tag,
    summary: 'Extension: list the feeds of the application',
    description: 'Feeds of the application, without their addresses.',
    access: 'key',
    query: feedListQuery,
    answers: [
      {
        status: 200,
        description: 'A page of feeds, oldest first.',
        schema: z.object({ data: z.array(feed), nextPageToken: z.string().nullable() }),
      },
    ],
    errors: ['InvalidPageToken'],
    handle: async (call) => ({ body: await call.engine.feeds.list(call.caller, call.query) }),
  },
  {
    method: 'post',
    path: '/v1/feeds',
    operationId: 'createFeed',
    tag,
    summary: 'Extension: publish calendars under a secret address',
    description:
      'The address is shown this once; only a hash of it is stored. Calendar programs subscribe to it, and it opens the feed to anyone who has it, until the feed is deleted.',
    access: 'key',
    body: { schema: feedCreate, required: true },
    isSecret: true,
    answers: [{ status: 201, description: 'The feed and its address.', schema: feedCreated }],
    errors: ['NotFound', 'InvalidRefreshToken', 'CalendarSyncing', ...PROVIDER_FAILURES],
    handle: async (call) => ({ status: 201, body: await call.engine.feeds.create(call.caller, bodyOf(call)) }),
  },
  {
    method: 'delete',
    path: '/v1/feeds/{feedId}',
    operationId: 'deleteFeed',
    tag,
    summary: 'Extension: end a feed',
    description: 'From now on its address answers 404.',
    access: 'key',
    answers: [{ status: 200, description: 'The feed has ended.', schema: z.object({ success: z.boolean() }) }],
    errors: ['NotFound'],
    async handle(call) {
      await call.engine.feeds.delete(call.caller, parameter(call, 'feedId'));
      return { body: { success: true } };
    },
  },
  {
    method: 'get',
    path: '/v1/feeds/{secret}.ics',
    operationId: 'readFeed',
    tag,
    summary: 'Extension: read a feed as iCalendar',
    description:
      'For calendar programs, without an API key. `ETag` and `If-None-Match` save what has not changed; the text is compressed for a client that accepts gzip. An address that was never there and one that has ended answer alike.',
    access: 'open',
    query: 'pass',
    sendsEtag: true,
    mediaType: 'text/calendar',
    answers: [{ status: 200, description: 'The feed.', schema: z.string() }],
    errors: ['NotFound', 'CalendarSyncing', ...PROVIDER_FAILURES],
    async handle({ engine, request, params }) {
      const file = parameter({ params }, 'secret');
      const { etag, text } = await engine.publicFeeds.read(file.replace(/\.ics$/, ''));
      const headers = {
        etag,
        'cache-control': REVALIDATE,
        vary: 'accept-encoding',
        'referrer-policy': 'no-referrer',
      };
      return calendarText(text, headers, acceptsGzip(request));
    },
  },
];
