import { z } from 'zod';
import { createTool } from '../tool.ts';
import { calendarLines } from '../words/event-words.ts';
import { pagedAnswer } from '../words/paged-answer.ts';
import { quoted, quotedName } from '../words/quoted.ts';
import { instantWords } from '../words/time-words.ts';
import { allCalendars } from './account-reads.ts';
import { accountId, pageToken } from './inputs.ts';

const ACCOUNTS = 250;

export const listAccounts = createTool({
  name: 'list_accounts',
  kind: 'read',
  title: 'List accounts',
  description: 'Lists the connected mailboxes with the accountId that every other tool needs. Start here.',
  input: z.strictObject({ search: z.string().max(320).optional().describe('Part of the e-mail address.'), pageToken }),
  async run({ engine, caller, tokenBudget }, { search, pageToken }) {
    const query = { limit: ACCOUNTS, ...(search && { search }) };
    const page = await engine.accounts.list(caller, query);
    const entries = page.data.map(({ id, email, providerType, status }) => ({
      key: id,
      lines: [
        `- ${quotedName(email)} at ${providerType}${status === 'ACTIVE' ? '' : ', DISCONNECTED: the person has to connect it again'}`,
        `  accountId: ${quoted(id)}`,
      ],
    }));
    const more = page.nextPageToken === null ? '' : ` These are the first ${ACCOUNTS}: narrow them by search.`;
    return pagedAnswer({
      header: `Accounts: ${entries.length}.${more}`,
      entries: entries.sort((a, b) => (a.key < b.key ? -1 : 1)),
      empty: 'No account is connected, or none matches search.',
      pageToken,
      tokenBudget,
    });
  },
});

export const listCalendars = createTool({
  name: 'list_calendars',
  kind: 'read',
  title: 'List calendars',
  description: 'Lists the calendars of an account with their calendarId, time zone and the present time there.',
  input: z.strictObject({ accountId, pageToken }),
  async run(context, { accountId, pageToken }) {
    const calendars = await allCalendars(context, accountId);
    const now = context.clock.now();
    const entries = calendars.map((calendar) => ({
      key: `${calendar.isPrimary ? 0 : 1}${calendar.id}`,
      lines: calendarLines(calendar, instantWords(now, calendar.timeZone)),
    }));
    return pagedAnswer({
      header: `Calendars: ${entries.length}.`,
      entries: entries.sort((a, b) => (a.key < b.key ? -1 : 1)),
      empty: 'The account has no calendar.',
      pageToken,
      tokenBudget: context.tokenBudget,
    });
  },
});
