import type { Calendar } from 'kalends/model';
import { z } from 'zod';
import { createTool, type ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { namingFields, ofAccount, participantName } from '../words/named-fields.ts';
import { DATA_NOTE, quoted, quotedName } from '../words/quoted.ts';
import { instantWords, timesWords } from '../words/time-words.ts';
import { allCalendars, defaultZone } from './account-reads.ts';
import { accountId, calendarIds, readZone, startWeekday, timeZone } from './inputs.ts';
import { readSlotTimes, slotEnd, slotTime } from './slot-times.ts';

export const holdId = z.string().min(1).max(64).describe('From hold_slot, copied exactly.');

const MINUTES = 5;
const HALF_HOUR_MS = 1_800_000;
const MOST_CALENDARS = 50;

/** Takes a slot. It has no preview: nothing is written to a calendar, no mail is sent, and the slot is free again by itself. */
export const holdSlot = createTool({
  name: 'hold_slot',
  kind: 'hold',
  title: 'Hold a slot',
  description:
    'Takes a free slot for some minutes, so that no other booking can have it while the person decides. Writes to no calendar and sends no mail. Then book it with preview_confirm_hold, or call release_hold.',
  input: z.strictObject({
    participants: z
      .array(
        z.strictObject({
          accountId,
          calendarIds: calendarIds.describe(
            'Calendars in which the slot has to be free. By default those that are not shared by others, the primary one first.',
          ),
        }),
      )
      .min(1)
      .max(20)
      .describe('Accounts, each once. The first one organizes: the event is written to the first of its calendars.'),
    start: slotTime('Start of the slot; copy start, end and timeZone of a slot that find_meeting_times answered.'),
    end: slotEnd.describe('End of the slot, exclusive. By default half an hour after start.'),
    startWeekday,
    timeZone: timeZone.describe(
      "Zone of start and end. By default that of the first of the organizer's calendarIds, else of its primary calendar.",
    ),
    minutes: z.int().min(1).max(10).optional().describe(`For how long the slot is held. ${MINUTES} by default.`),
  }),
  async run(context, sent) {
    const { engine, caller } = context;
    const participants = await Promise.all(
      sent.participants.map(async ({ accountId, calendarIds }, index) => ({
        accountId,
        calendars: await ofAccount(accountId, heldCalendars(context, accountId, calendarIds, index === 0)),
      })),
    );
    const [organizer] = participants;
    const zone =
      sent.timeZone === undefined
        ? defaultZone(organizer?.calendars ?? [], sent.participants[0]?.calendarIds)
        : readZone(sent.timeZone);
    const { asked } = readSlotTimes(sent, zone, HALF_HOUR_MS);
    const creation = engine.holds.create(caller, {
      ...asked,
      participants: participants.map(({ accountId, calendars }) => ({
        endUserAccountId: accountId,
        calendarIds: calendars.map(({ id }) => id),
      })),
      expiresInSeconds: (sent.minutes ?? MINUTES) * 60,
    });
    const held = await namingFields(participantName(participants.map(({ accountId }) => accountId)), creation);
    const { startDateTime, endDateTime, timeZone } = held;
    const point = (dateTime: string) => ({ dateTime, timeZone });
    return [
      `HELD until ${instantWords(Date.parse(held.expiresAt), zone)}. Nothing is written to a calendar.`,
      `  when: ${timesWords({ start: point(startDateTime), end: point(endDateTime), isAllDay: false })}`,
      `  the event would be written to: ${quotedName(organizer?.calendars[0]?.name ?? '')}`,
      `  holdId: ${quoted(held.id)}`,
      'To book it call preview_confirm_hold; to give it up call release_hold.',
      DATA_NOTE,
    ].join('\n');
  },
});

export const releaseHold = createTool({
  name: 'release_hold',
  kind: 'hold',
  title: 'Release a held slot',
  description: 'Gives a held slot up before its time. A booking is cancelled with cancel_booking instead.',
  input: z.strictObject({ holdId }),
  async run({ engine, caller }, { holdId }) {
    await engine.holds.delete(caller, holdId);
    return 'RELEASED. The slot is free again.';
  },
});

/** Returns the calendars of a participant in which a slot has to be free; the first of an organizer's takes the event. */
async function heldCalendars(
  context: ToolContext,
  accountId: string,
  chosen: readonly string[] | undefined,
  isOrganizer: boolean,
): Promise<readonly Calendar[]> {
  const all = await allCalendars(context, accountId);
  if (chosen !== undefined) {
    return chosen.map((id) => {
      const calendar = all.find((each) => each.id === id);
      if (calendar !== undefined) return calendar;
      throw new ToolRefusal('calendarIds: one of them is no calendar of the account. Call list_calendars.');
    });
  }
  const rank = ({ isPrimary, readOnly }: Calendar) => (isOrganizer && readOnly ? 2 : isPrimary ? 0 : 1);
  const own = all.filter(({ isShared }) => !isShared).sort((a, b) => rank(a) - rank(b));
  if (own.length > 0 && own.length <= MOST_CALENDARS) return own;
  // In those that were left out the slot might not be free.
  const count = own.length === 0 ? 'no calendar' : `more than ${MOST_CALENDARS} calendars`;
  throw new ToolRefusal(`participants: an account has ${count} of its own. Name its calendarIds.`);
}
