import type { AvailabilityExplainQuery } from 'kalends/model';
import { z } from 'zod';
import type { ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { ofAccount } from '../words/named-fields.ts';
import { WEEKDAYS } from '../words/time-words.ts';
import { allCalendars, defaultZone } from './account-reads.ts';
import { accountId, calendarIds, readZone, timeZone } from './inputs.ts';

const clock = z
  .string()
  .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time from 00:00 to 24:00, such as 09:00')
  .describe('Such as 09:00.');

/** Fields of a question about times at which people can meet. */
export const meetingFields = {
  participants: z
    .array(
      z.strictObject({
        accountId,
        calendarIds: calendarIds.describe('Only these calendars. By default those that are not shared by others.'),
        optional: z.boolean().optional().describe('Whether a slot may do without this one. By default it may not.'),
      }),
    )
    .min(1)
    .max(20)
    .describe('Accounts from list_accounts, each once. People without an account here cannot be asked.'),
  durationMinutes: z.int().min(1).max(44_640),
  timeZone: timeZone.describe(
    "Zone of the times. By default that of the first participant's first calendarIds, else of its primary calendar.",
  ),
  workingHours: z
    .strictObject({ days: z.array(z.enum(WEEKDAYS)).min(1).max(7), start: clock, end: clock })
    .optional()
    .describe("Hours in each participant's own zone. By default Monday to Friday, 09:00 to 17:00."),
  anyHour: z.boolean().optional().describe('Whether nights and weekends count too.'),
};
const fields = z.strictObject(meetingFields);

/** Working hours of all participants; undefined for any hour. */
type Hours = { readonly days: readonly (typeof WEEKDAYS)[number][]; readonly start: string; readonly end: string };

/** A participant, with the address and the zone of the account. */
export interface MeetingParticipant {
  readonly accountId: string;
  readonly email: string;
  readonly timeZone: string;
  /** Zone of times that name none, of the first participant. */
  readonly defaultZone: string;
  readonly isOptional: boolean;
}

/** A question about times, as it is asked of the engine, and what its words need. */
export interface Meeting {
  readonly participants: readonly MeetingParticipant[];
  readonly timeZone: string;
  readonly hours: Hours | undefined;
  readonly query: Pick<AvailabilityExplainQuery, 'timeZone' | 'durationMinutes' | 'participants' | 'rules'>;
}

const OFFICE: Hours = { days: WEEKDAYS.slice(0, 5), start: '09:00', end: '17:00' };

/** Reads a question about times. Participants are named by their accounts in it. @throws ToolRefusal naming the field */
export async function readMeeting(context: ToolContext, sent: z.output<typeof fields>): Promise<Meeting> {
  const { durationMinutes, workingHours, anyHour = false } = sent;
  if (new Set(sent.participants.map(({ accountId }) => accountId)).size < sent.participants.length) {
    throw new ToolRefusal('participants: must name each account once. Put all calendars of one into its calendarIds.');
  }
  if (anyHour && workingHours !== undefined) throw new ToolRefusal('anyHour: leave it out, or leave workingHours out.');
  const participants = await Promise.all(
    sent.participants.map(async ({ accountId, calendarIds, optional = false }): Promise<MeetingParticipant> => {
      const reads = [context.engine.accounts.get(context.caller, accountId), allCalendars(context, accountId)] as const;
      const [account, calendars] = await ofAccount(accountId, Promise.all(reads));
      const { timeZone = 'UTC' } = calendars[0] ?? {};
      const zone = defaultZone(calendars, calendarIds);
      return { accountId, email: account.email, timeZone, defaultZone: zone, isOptional: optional };
    }),
  );
  const zone = sent.timeZone === undefined ? (participants[0]?.defaultZone ?? 'UTC') : readZone(sent.timeZone);
  const hours = anyHour ? undefined : (workingHours ?? OFFICE);
  return {
    participants,
    timeZone: zone,
    hours,
    query: {
      timeZone: zone,
      durationMinutes,
      ...(hours && { rules: { openHours: [{ ...hours, days: hours.days.map(dayCode) }] } }),
      participants: sent.participants.map(({ accountId, calendarIds }, index) => ({
        id: accountId,
        timeZone: participants[index]?.timeZone,
        role: participants[index]?.isOptional ? 'optional' : 'required',
        accounts: [{ endUserAccountId: accountId, ...(calendarIds && { calendarIds }) }],
      })),
    },
  };
}

/** Returns working hours in words: `on Monday, Tuesday, 09:00–17:00`. */
export function hoursWords(hours: Hours | undefined): string {
  if (hours === undefined) return 'at any hour';
  return `on ${hours.days.join(', ')}, ${hours.start}–${hours.end}`;
}

const CODES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
function dayCode(day: (typeof WEEKDAYS)[number]): (typeof CODES)[number] {
  return CODES[WEEKDAYS.indexOf(day)] ?? 'MO';
}
