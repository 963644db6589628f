import { calendarImport, importCreateQuery, importGetQuery } from 'kalends/model';
import { calendarFile } from '../calendar-file.ts';
import { parameter, type Route } from '../route.ts';
import { EXPIRED_ACCOUNT, PROVIDER_FAILURES } from './mirrored-answer.ts';

const tag = 'Calendars';

export const importRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/calendars/{endUserAccountId}/{calendarId}/imports',
    operationId: 'importCalendar',
    tag,
    summary: 'Extension: import an iCalendar file into a calendar',
    description:
      'Answers when the file is read; its events are then written one after the other, each series with its exceptions. An event whose UID the calendar has is updated, or left when it is equal. No mail is sent. With `dryRun`, the import only reports. A file has 100 MB and 100,000 events at most; one import of a calendar is under way at a time.',
    access: 'key',
    query: importCreateQuery,
    takesFile: true,
    answers: [{ status: 202, description: 'The import, which has begun.', schema: calendarImport }],
    errors: ['NotFound', 'CalendarReadOnly', ...EXPIRED_ACCOUNT, 'Conflict', 'CalendarSyncing', ...PROVIDER_FAILURES],
    handle: async (call) => ({
      status: 202,
      body: await call.engine.imports.create(
        call.caller,
        parameter(call, 'endUserAccountId'),
        parameter(call, 'calendarId'),
        calendarFile(call.request),
        call.query,
      ),
    }),
  },
  {
    method: 'get',
    path: '/v1/calendars/{endUserAccountId}/{calendarId}/imports/{importId}',
    operationId: 'getImport',
    tag,
    summary: 'Extension: get an import and what it could not take over',
    description: 'Counts of events by what became of them, and a page of problems. Kept 30 days after its end.',
    access: 'key',
    query: importGetQuery,
    answers: [{ status: 200, description: 'The import.', schema: calendarImport }],
    errors: ['InvalidPageToken', 'NotFound'],
    handle: async (call) => ({
      body: await call.engine.imports.get(
        call.caller,
        parameter(call, 'endUserAccountId'),
        parameter(call, 'calendarId'),
        parameter(call, 'importId'),
        call.query,
      ),
    }),
  },
];
