import { z } from 'zod';
import { createTool } from '../tool.ts';
import { pagedAnswer } from '../words/paged-answer.ts';
import { instantWords, timesWords } from '../words/time-words.ts';
import { chosenCalendars } from './account-reads.ts';
import { readWindow } from './event-window.ts';
import { accountId, calendarIds, localTime, pageToken, readZone, timeZone } from './inputs.ts';
import { mergedSlots } from './merged-slots.ts';

export const getFreeBusy = createTool({
  name: 'get_free_busy',
  kind: 'read',
  title: 'Read busy times',
  description:
    'Lists when an account is busy in a window, over its calendars together. All other time in the window is free.',
  input: z.strictObject({
    accountId,
    calendarIds,
    from: localTime('Start of the window.'),
    to: localTime('End of the window; a day is included.'),
    timeZone: timeZone.describe("Zone of from and to and of the times shown. By default the first calendar's."),
    pageToken,
  }),
  async run({ engine, caller, tokenBudget, ...context }, { accountId, calendarIds, from, to, timeZone, pageToken }) {
    const calendars = await chosenCalendars({ engine, caller, tokenBudget, ...context }, accountId, calendarIds);
    const zone = timeZone === undefined ? (calendars[0]?.timeZone ?? 'UTC') : readZone(timeZone);
    const { fromMs, toMs } = readWindow(from, to, zone);
    const result = await engine.freeBusy.query(caller, accountId, {
      startDateTime: new Date(fromMs).toISOString(),
      endDateTime: new Date(toMs).toISOString(),
      timeZone: zone,
      calendarIds: calendars.map(({ id }) => id),
    });
    const slots = mergedSlots(result.flatMap(({ busySlots }) => busySlots));
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
