import { z } from 'zod';
import { dateTimeText, PAGE_SIZE, pageParameters, queryBoolean } from './primitives.ts';

const number = z.number().int().min(0);

export const importProblemEntry = z
  .object({
    uid: z.string().describe('UID of the event; empty for a problem of the file.'),
    field: z.string().describe('Field or property; of a line that was passed over, `line` and its number.'),
    rule: z.string().describe('Rule that it breaks.'),
  })
  .meta({ id: 'ImportProblemEntry', description: 'A part of a file that was not taken over.' });

/** Answer to POST and GET …/imports. */
export const calendarImport = z
  .object({
    id: z.string().describe('Id of the import, `imp_…`.'),
    calendarId: z.string().describe('Calendar that the events go into.'),
    state: z
      .enum(['running', 'finished', 'failed'])
      .describe('A finished import may have refused events; a failed one has stopped.'),
    dryRun: z.boolean().describe('Whether it only reports, and writes nothing.'),
    error: z.string().nullable().describe('Code of the error that stopped it; null without one.'),
    counts: z
      .object({
        waiting: number.describe('Not looked at yet.'),
        created: number.describe('New in the calendar.'),
        updated: number.describe('Changed in the calendar.'),
        unchanged: number.describe('In the calendar already.'),
        refused: number.describe('Not taken over.'),
      })
      .describe('Events of the file by what became of them. A series with its exceptions is one.'),
    problems: z.array(importProblemEntry).describe('A page of what was not taken over.'),
    nextPageToken: z.string().nullable().describe('`pageToken` of the next page of problems; null on the last.'),
    createdAt: dateTimeText.describe('Creation, RFC 3339.'),
    finishedAt: dateTimeText.nullable().describe('End, RFC 3339; null while it runs.'),
  })
  .meta({ id: 'CalendarImport', description: 'An import of an iCalendar file into a calendar.' });

/** Query of POST /v1/calendars/{endUserAccountId}/{calendarId}/imports. */
export const importCreateQuery = z
  .strictObject({ dryRun: queryBoolean.optional().describe('Only report what the import would do.') })
  .describe('Query of the start of an import.');

/** Query of GET /v1/calendars/{endUserAccountId}/{calendarId}/imports/{importId}. */
export const importGetQuery = z
  .strictObject(pageParameters(PAGE_SIZE.subscriptions.maximum))
  .describe('Query of an import: which page of its problems.');
