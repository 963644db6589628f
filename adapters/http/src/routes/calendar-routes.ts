import { calendar, calendarCreate, calendarListQuery, calendarUpdate, deletedCalendar } from 'kalends/model';
import { z } from 'zod';
import { attachment, calendarText } from '../calendar-text.ts';
import { bodyOf, parameter, REVALIDATE, type Route } from '../route.ts';
import { ageHeaders, EXPIRED_ACCOUNT, PROVIDER_FAILURES, syncedAnswer } from './mirrored-answer.ts';

const tag = 'Calendars';

export const calendarRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/v1/calendars/{endUserAccountId}',
    operationId: 'listCalendars',
    tag,
    summary: 'List calendars, or the changes of the list since a sync token',
    description:
      'Without `syncToken`, all calendars of the account. With one, those that were created, changed or deleted since; a deleted one has `isDeleted`.',
    access: 'key',
    query: calendarListQuery,
    tellsAge: true,
    answers: [
      {
        status: 200,
        description: 'A page; nextPageToken while pages follow, else nextSyncToken.',
        schema: z.object({
          data: z.array(z.union([calendar, deletedCalendar])),
          nextPageToken: z.string().optional(),
          nextSyncToken: z.string().optional(),
        }),
      },
    ],
    errors: [
      'InvalidPageToken',
      'InvalidSyncToken',
      'SyncTokenMismatch',
      'SyncTokenExpired',
      'NotFound',
      ...EXPIRED_ACCOUNT,
      'CalendarSyncing',
      ...PROVIDER_FAILURES,
    ],
    handle: async (call) =>
      syncedAnswer(await call.engine.calendars.list(call.caller, parameter(call, 'endUserAccountId'), call.query)),
  },
  {
    method: 'get',
    path: '/v1/calendars/{endUserAccountId}/{calendarId}',
    operationId: 'getCalendar',
    tag,
    summary: 'Get a calendar',
    description: '`calendarId` is the id that the list shows.',
    access: 'key',
    answers: [{ status: 200, description: 'The calendar.', schema: calendar }],
    errors: ['NotFound', ...EXPIRED_ACCOUNT, 'CalendarSyncing', ...PROVIDER_FAILURES],
    handle: async (call) => ({
      body: await call.engine.calendars.get(
        call.caller,
        parameter(call, 'endUserAccountId'),
        parameter(call, 'calendarId'),
      ),
    }),
  },
  {
    method: 'get',
    path: '/v1/calendars/{endUserAccountId}/{calendarId}/export',
    operationId: 'exportCalendar',
    tag,
    summary: 'Extension: export a calendar as iCalendar',
    description:
      'All events of the mirror as one file of RFC 5545, each series with its exceptions, streamed. What iCalendar has no property for stands in `X-KALENDS-` ones.',
    access: 'key',
    mediaType: 'text/calendar',
    sendsFile: true,
    tellsAge: true,
    answers: [{ status: 200, description: 'The file.', schema: z.string() }],
    errors: ['NotFound', ...EXPIRED_ACCOUNT, 'CalendarSyncing', ...PROVIDER_FAILURES],
    async handle({ engine, caller, params }) {
      const [accountId, calendarId] = [parameter({ params }, 'endUserAccountId'), parameter({ params }, 'calendarId')];
      const { name, etag, text, ...age } = await engine.events.export(caller, accountId, calendarId);
      const headers = { etag, 'cache-control': REVALIDATE, 'content-disposition': attachment(name) };
      return calendarText(text, { ...headers, ...ageHeaders(age) });
    },
  },
  {
    method: 'post',
    path: '/v1/calendars/{endUserAccountId}',
    operationId: 'createCalendar',
    tag,
    summary: 'Create a calendar',
    description: 'Created at the provider, which chooses the id. Fields that the provider does not have are refused.',
    access: 'key',
    body: { schema: calendarCreate, required: true },
    takesIdempotencyKey: true,
    answers: [{ status: 201, description: 'The calendar as created.', schema: calendar }],
    errors: [
      'NotFound',
      'Forbidden',
      ...EXPIRED_ACCOUNT,
      'Conflict',
      'IdempotencyKeyReused',
      'UnsupportedByProvider',
      ...PROVIDER_FAILURES,
    ],
    handle: async (call) => ({
      status: 201,
      body: await call.engine.calendars.create(
        call.caller,
        parameter(call, 'endUserAccountId'),
        bodyOf(call),
        call.idempotencyKey === undefined ? {} : { idempotencyKey: call.idempotencyKey },
      ),
    }),
  },
  {
    method: 'put',
    path: '/v1/calendars/{endUserAccountId}/{calendarId}',
    operationId: 'updateCalendar',
    tag,
    summary: 'Update a calendar',
    description: 'Only sent fields change; null clears.',
    access: 'key',
    body: { schema: calendarUpdate, required: true },
    answers: [{ status: 200, description: 'The calendar as updated.', schema: calendar }],
    errors: [
      'NotFound',
      'Forbidden',
      'CalendarReadOnly',
      ...EXPIRED_ACCOUNT,
      'UnsupportedByProvider',
      ...PROVIDER_FAILURES,
    ],
    handle: async (call) => ({
      body: await call.engine.calendars.update(
        call.caller,
        parameter(call, 'endUserAccountId'),
        parameter(call, 'calendarId'),
        bodyOf(call),
      ),
    }),
  },
  {
    method: 'delete',
    path: '/v1/calendars/{endUserAccountId}/{calendarId}',
    operationId: 'deleteCalendar',
    tag,
    summary: 'Delete a calendar',
    description: 'The primary calendar cannot be deleted.',
    access: 'key',
    answers: [{ status: 200, description: 'The calendar is deleted.', schema: z.object({ success: z.boolean() }) }],
    errors: ['NotFound', 'Forbidden', 'CalendarReadOnly', ...EXPIRED_ACCOUNT, ...PROVIDER_FAILURES],
    handle: async (call) => {
      await call.engine.calendars.delete(
        call.caller,
        parameter(call, 'endUserAccountId'),
        parameter(call, 'calendarId'),
      );
      return { body: { success: true } };
    },
  },
];
