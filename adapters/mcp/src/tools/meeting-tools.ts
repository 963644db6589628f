import type { AvailabilityQuery, AvailabilityResult, AvailableSlot, SlotExplanation } from 'kalends/model';
import { DAY_MS, formatInstant } from 'kalends/zones';
import { z } from 'zod';
import { createTool, type ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { namingFields, participantName } from '../words/named-fields.ts';
import { pagedAnswer } from '../words/paged-answer.ts';
import { quotedName } from '../words/quoted.ts';
import { clockWords, dayWords, instantWords, timesWords, wallOf } from '../words/time-words.ts';
import { readWindow } from './event-window.ts';
import { checkWeekday, localTime, pageToken, startWeekday } from './inputs.ts';
import { hoursWords, type Meeting, type MeetingParticipant, meetingFields, readMeeting } from './meeting-input.ts';
import { readSlotTime, slotFields, slotTime } from './slot-times.ts';

const LONGEST_DAYS = 62;
const STEP_MINUTES = 30;
const SLOTS_PER_DAY = 3;
const PAGE = 1_000;

export const findMeetingTimes = createTool({
  name: 'find_meeting_times',
  kind: 'read',
  title: 'Find times to meet',
  description:
    'Finds slots in which all participants are free, the best first: those that lack the fewest optional participants, then the earliest. To hold one, copy its start, end and timeZone to hold_slot. explain_meeting_time says why a time is missing.',
  input: z.strictObject({
    ...meetingFields,
    from: localTime('Start of the window.'),
    to: localTime(`End of the window; a day is included. At most ${LONGEST_DAYS} days.`),
    stepMinutes: z
      .int()
      .min(15)
      .max(1_440)
      .optional()
      .describe(`Slots start at its multiples after midnight. ${STEP_MINUTES} by default.`),
    slotsPerDay: z.int().min(1).max(96).optional().describe(`Most slots of a day. ${SLOTS_PER_DAY} by default.`),
    pageToken,
  }),
  async run(context, sent) {
    const { from, to, stepMinutes = STEP_MINUTES, slotsPerDay = SLOTS_PER_DAY } = sent;
    const meeting = await readMeeting(context, sent);
    const { timeZone } = meeting;
    const { fromMs, toMs } = readWindow(from, to, timeZone);
    if (toMs - fromMs > LONGEST_DAYS * DAY_MS) throw new ToolRefusal(`to: must be at most ${LONGEST_DAYS} days later.`);
    const slots = await allSlots(context, {
      ...meeting.query,
      startDateTime: new Date(fromMs).toISOString(),
      endDateTime: new Date(toMs).toISOString(),
      stepMinutes,
    });
    return pagedAnswer({
      header: [
        `From ${instantWords(fromMs, timeZone)} to ${instantWords(toMs, timeZone)}, ${hoursWords(meeting.hours)} by each participant's own zone.`,
        `Free slots of ${sent.durationMinutes} minutes: ${slots.length}; at most ${slotsPerDay} of a day are shown, the best first.`,
        `Now: ${instantWords(context.clock.now(), timeZone)}.`,
      ].join('\n'),
      entries: fewOfEachDay(slots, slotsPerDay).map((slot) => slotEntry(slot, meeting)),
      empty:
        'No slot is free for all of them. Try a longer window, a shorter duration, other workingHours, or make a participant optional; explain_meeting_time says what stands against a time.',
      pageToken: sent.pageToken,
      tokenBudget: context.tokenBudget,
    });
  },
});

export const explainMeetingTime = createTool({
  name: 'explain_meeting_time',
  kind: 'read',
  title: 'Explain a time to meet',
  description: 'Says whether participants can meet at a time, and for each of them what stands against it.',
  input: z.strictObject({ ...meetingFields, start: slotTime('Start of the meeting.'), startWeekday, pageToken }),
  async run(context, sent) {
    const meeting = await readMeeting(context, sent);
    const start = readSlotTime('start', sent.start, meeting.timeZone);
    checkWeekday(start, sent.startWeekday);
    const startMs = start.epochMs;
    const query = {
      ...meeting.query,
      startDateTime: new Date(startMs - DAY_MS).toISOString(),
      endDateTime: new Date(startMs + sent.durationMinutes * 60_000 + DAY_MS).toISOString(),
      stepMinutes: 1,
      slotDateTime: new Date(startMs).toISOString(),
    };
    const explained = await namingFields(namesOf(query), context.engine.availability.explain(context.caller, query));
    const { isOffered, obstacles } = explained;
    const isPast = obstacles.some(({ code }) => code === 'too-soon');
    const verdict = isOffered
      ? 'They can meet then: all who are needed are free.'
      : isPast
        ? `They cannot meet then: that is in the past. Now it is ${instantWords(context.clock.now(), meeting.timeZone)}.`
        : 'They cannot meet then. find_meeting_times has other times.';
    return pagedAnswer({
      header: [
        `${timesWords({ ...explained, isAllDay: false })}, ${sent.durationMinutes} minutes.`,
        verdict,
        ...(isOffered ? slotFields(explained) : []),
      ].join('\n'),
      entries: meeting.participants.map((participant, index) => ({
        key: String(index).padStart(4, '0'),
        lines: participantLines(participant, explained, meeting),
      })),
      empty: '',
      pageToken: sent.pageToken,
      tokenBudget: context.tokenBudget,
    });
  },
});

/** Lists all slots of a query, the best first. */
async function allSlots({ engine, caller }: ToolContext, query: AvailabilityQuery): Promise<readonly AvailableSlot[]> {
  const slots: AvailableSlot[] = [];
  let pageToken: string | null = null;
  do {
    const page = { limit: PAGE, orderBy: 'rank' as const, ...(pageToken !== null && { pageToken }) };
    const result: AvailabilityResult = await namingFields(
      namesOf(query),
      engine.availability.query(caller, { ...query, ...page }),
    );
    slots.push(...(result.slots ?? []));
    pageToken = result.nextPageToken;
  } while (pageToken !== null);
  return slots;
}

/** Participants of a query are named by their accounts. */
function namesOf({ participants }: Pick<AvailabilityQuery, 'participants'>) {
  return participantName(participants.map(({ id }) => id));
}

function fewOfEachDay(slots: readonly AvailableSlot[], most: number): readonly AvailableSlot[] {
  const counts = new Map<string, number>();
  return slots.filter(({ start }) => {
    const day = start.dateTime.slice(0, 10);
    const count = (counts.get(day) ?? 0) + 1;
    counts.set(day, count);
    return count <= most;
  });
}

/** The key sorts as the engine ranks. */
function slotEntry({ start, end, absent, rank, reason }: AvailableSlot, { participants }: Meeting) {
  const emailOf = (id: string) => participants.find(({ accountId }) => accountId === id)?.email ?? id;
  return {
    key: `${String(absent.length).padStart(4, '0')} ${new Date(start.dateTime).toISOString()}`,
    lines: [
      `- ${timesWords({ start, end, isAllDay: false })}`,
      ...slotFields({ start, end }),
      `  rank ${rank}: ${reason}`,
      ...(absent.length === 0 ? [] : [`  not free: ${absent.map((id) => quotedName(emailOf(id))).join(', ')}`]),
    ],
  };
}

function participantLines(
  { accountId, email, timeZone, isOptional }: MeetingParticipant,
  { start, end, participants }: SlotExplanation,
  { hours }: Meeting,
): readonly string[] {
  const { isFree = false, obstacles = [] } = participants.find(({ id }) => id === accountId) ?? {};
  const there = ({ dateTime }: SlotExplanation['start']) =>
    wallOf({ dateTime: formatInstant(timeZone, new Date(dateTime).getTime()), timeZone });
  const words = obstacles.map(({ code, text, start: from, end: to }) => {
    if (code === 'busy' && from !== undefined && to !== undefined) {
      return `  busy ${timesWords({ start: from, end: to, isAllDay: false })}`;
    }
    if (code === 'outside-open-hours') {
      return `  works ${hoursWords(hours)} (${timeZone}); the slot is there ${dayWords(there(start))}, ${clockWords(there(start))} to ${clockWords(there(end))}`;
    }
    return `  ${quotedName(text)}`;
  });
  return [`- ${quotedName(email)}${isOptional ? ', optional' : ''}: ${isFree ? 'free' : 'not free'}`, ...words];
}
