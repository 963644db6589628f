import { z } from 'zod';
import { PAGE_SIZE, pageParameters } from './primitives.ts';

const feedCalendar = z
  .strictObject({
    endUserAccountId: z.string().min(1).describe('Id of the account, `acc_…`.'),
    calendarId: z.string().min(1).describe("The calendar's id."),
  })
  .describe('A calendar of the application.');

const feedName = z.string().trim().min(1).max(254).describe('Name that calendar programs show.');

const feedDetail = z
  .enum(['full', 'busy'])
  .describe(
    '`full`: titles, places, descriptions and people, and private events as busy or free times. `busy`: times alone, under the title "Busy".',
  );

const feedCalendars = z.array(feedCalendar).min(1).max(20).describe('One calendar, or several as one.');

/** Body of POST /v1/feeds. */
export const feedCreate = z
  .strictObject({ name: feedName, calendars: feedCalendars, detail: feedDetail.default('busy') })
  .meta({ id: 'FeedCreate', description: 'A feed to publish.' });

export const feed = z
  .object({
    id: z.string().describe('Id of the feed, `fed_…`.'),
    name: feedName,
    detail: feedDetail,
    calendars: z.array(feedCalendar).describe('Its calendars; those of deleted accounts are gone.'),
    createdAt: z.string().describe('Creation, RFC 3339.'),
  })
  .meta({ id: 'Feed', description: 'Calendars that are published under a secret address.' });

export const feedCreated = z
  .object({ feed, url: z.string().describe('Secret address of the feed. It is shown this once.') })
  .meta({ id: 'FeedCreated', description: 'A feed that was published.' });

/** Query of GET /v1/feeds. */
export const feedListQuery = z
  .strictObject(pageParameters(PAGE_SIZE.subscriptions.maximum))
  .describe('Query of the list of feeds.');
