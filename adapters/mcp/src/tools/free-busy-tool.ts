import { z } from 'zod';
import { createTool } from '../tool.ts';
import { pagedAnswer } from '../words/paged-answer.ts';
import { instantWords, timesWords } from '../words/time-words.ts';
import { listZone, ownCalendars } from './account-reads.ts';
import { readWindow } from './event-window.ts';
import { accountId, calendarIds, localTime, pageToken, readZone, windowZone } from './inputs.ts';
import { mergedSlots } from './merged-slots.ts';
import { readEach, unreadRefusal } from './read-each.ts';

export const getFreeBusy = createTool({
  name: 'get_free_busy',
  kind: 'read',
  title: 'Read busy times',
  description:
    'Lists when an account is busy in a window, over its own calendars together. All other time in the window is free.',
  input: z.strictObject({
    accountId,
    calendarIds: calendarIds.describe('Only these calendars. By default those that are not shared by others.'),
    from: localTime('Start of the window.'),
    to: localTime('End of the window; a day is included.'),
    timeZone: windowZone,
    pageToken,
  }),
  async run(context, { accountId, calendarIds, from, to, timeZone, pageToken }) {
    const { engine, caller, tokenBudget } = context;
    const calendars = await ownCalendars(context, accountId, calendarIds);
    const zone = timeZone === undefined ? await listZone(context, accountId, calendars) : readZone(timeZone);
    const { fromMs, toMs } = readWindow(from, to, zone);
    const window = { startDateTime: new Date(fromMs).toISOString(), endDateTime: new Date(toMs).toISOString() };
    // One query each: a query of several takes 50 calendars at most, and does not say which of them cannot be read.
    const { results, unread } = await readEach(calendars, ({ id }) =>
      engine.freeBusy.query(caller, accountId, { ...window, timeZone: zone, calendarIds: [id] }),
    );
    // The time of a calendar that was not read is not free.
    if (unread.length > 0) throw unreadRefusal(unread);
    const slots = mergedSlots(results.flat().flatMap(({ busySlots }) => busySlots));
    return pagedAnswer({
      header: `From ${instantWords(fromMs, zone)} to ${instantWords(toMs, zone)}, ${calendars.length} calendars. Busy:`,
      entries: slots.map((slot) => ({
        key: new Date(slot.start.dateTime).toISOString(),
        lines: [`- ${timesWords({ ...slot, isAllDay: false })}`],
      })),
      empty: 'Nothing: the whole window is free.',
      pageToken,
      tokenBudget,
    });
  },
});
