import { z } from 'zod';
import { assignmentPool } from './assignment-pool.ts';
import { availabilityRules, minutes, RULES, weekday, whole } from './availability-rules.ts';
import { eventDateTime } from './event.ts';
import { busyType } from './free-busy.ts';
import { notConnectedPerson, personAddress } from './not-connected.ts';

/** Most calendars of all participants together. */
export const MOST_CALENDARS = 1_000;
/** Most addresses of people who are not connected of one query. */
export const MOST_ADDRESSES = 100;
const MOST_PARTICIPANTS = 500;
const MOST_INTERVALS = 10_000;
const MOST_RESULTS = 1_000;

const id = z.string().min(1, 'must not be empty').max(255, 'must be at most 255 characters');
const instant = z.string();

/** Calendars of one account. */
export const accountCalendars = z
  .strictObject({
    endUserAccountId: id.describe('Id of an account of the application.'),
    calendarIds: z
      .array(z.string().min(1))
      .min(1, 'must name at least one calendar')
      .max(50, 'must name at most 50 calendars')
      .optional()
      .describe('Ids of 1 to 50 of its calendars; by default those that are its own, at most 50.'),
  })
  .meta({ id: 'AccountCalendars', description: 'An account, and which of its calendars count.' });

export const busyIntervalInput = z
  .strictObject({
    startDateTime: instant.describe("Start: ISO 8601; without an offset, in the participant's zone."),
    endDateTime: instant.describe('End, exclusive.'),
    type: busyType.optional().describe('Kind of busy time; `busy` by default.'),
    isAllDay: z.boolean().optional().describe('Whether it counts as an all-day event; false by default.'),
  })
  .meta({ id: 'BusyIntervalInput', description: 'Busy time that is in no calendar of the application.' });

export const bookingInput = z
  .strictObject({
    startDateTime: instant.describe("Start: ISO 8601; without an offset, in the participant's zone."),
    endDateTime: instant.describe('End, exclusive.'),
  })
  .meta({ id: 'BookingInput', description: 'A booking that limits and gaps depend on. It is busy time as well.' });

export const availabilityParticipant = z
  .strictObject({
    id: id.describe('Name in the answer, unique in the query.'),
    timeZone: z.string().optional().describe('Zone of the open hours, days and weeks; that of the query by default.'),
    role: z
      .enum(['required', 'optional', 'host'])
      .optional()
      .describe('`required` by default, `host` in a round-robin query. Members of groups have none.'),
    accounts: z.array(accountCalendars).max(20).optional().describe('Calendars whose events make them busy.'),
    addresses: z
      .array(personAddress)
      .max(20)
      .optional()
      .describe('People who are not connected: the busy time that the provider tells. At most 100 in the query.'),
    busy: z.array(busyIntervalInput).max(MOST_INTERVALS).optional().describe('Busy time besides, in any order.'),
    bookings: z.array(bookingInput).max(MOST_INTERVALS).optional().describe('Bookings in and around the window.'),
    assignments: whole(0, 1_000_000_000)
      .optional()
      .describe(
        'Assignments so far, as you have recorded them; 0 by default. Not beside `roundRobin`, which counts them.',
      ),
    lastAssignedDateTime: instant.optional().describe('Time of the latest assignment; never by default.'),
    weight: whole(1, 1_000).optional().describe('Share of the assignments; 1 by default.'),
    ...RULES,
  })
  .meta({ id: 'AvailabilityParticipant', description: 'A person or a room whose time a slot takes.' });

export const availabilityGroup = z
  .strictObject({
    id: id.describe('Name in the answer, unique in the query.'),
    members: z.array(id).min(1).max(MOST_PARTICIPANTS).describe('Ids of participants, each in one group only.'),
    take: whole(1, MOST_PARTICIPANTS).describe('How many of them a slot takes.'),
  })
  .meta({ id: 'AvailabilityGroup', description: 'Any `take` of some participants.' });

const QUESTION = {
  startDateTime: instant.describe('Start of the window: ISO 8601; without an offset, wall time in `timeZone`.'),
  endDateTime: instant.describe('End of the window, exclusive; at most 366 days later.'),
  timeZone: z.string().describe('Zone of the answer and of the steps, by its IANA or Windows name.'),
  durationMinutes: minutes(1).describe('Length of each slot.'),
  stepMinutes: whole(1, 1_440).optional().describe('Slots start at its multiples after midnight; 15 by default.'),
  noticeMinutes: minutes().optional().describe('Least time from now to the start of a slot; 0 by default.'),
  mode: z
    .enum(['collective', 'round-robin'])
    .optional()
    .describe('`collective` (default): all meet. `round-robin`: one host.'),
  distribution: z
    .enum(['max-availability', 'max-fairness'])
    .optional()
    .describe('Which hosts a round-robin query offers: any (default), or those alone who are next in line.'),
  roundRobin: assignmentPool
    .optional()
    .describe('The pool whose assignments are those of the hosts. Each host then has an account.'),
  participants: z
    .array(availabilityParticipant)
    .min(1, 'must name at least one participant')
    .max(MOST_PARTICIPANTS)
    .describe('1 to 500 people and rooms.'),
  groups: z.array(availabilityGroup).max(MOST_PARTICIPANTS).optional().describe('Groups of participants.'),
  rules: availabilityRules.optional(),
  isAllDayBusy: z.boolean().optional().describe('Whether all-day events are busy time; true by default.'),
  isTentativeBusy: z.boolean().optional().describe('Whether tentative events are busy time; true by default.'),
  weekStart: weekday.optional().describe('First day of a week, for `maxPerWeek`; MO by default.'),
};

/** Body of POST /v1/availability. */
export const availabilityQuery = z
  .strictObject({
    ...QUESTION,
    result: z.enum(['slots', 'ranges']).optional().describe('Kind of the answer; `slots` by default.'),
    orderBy: z
      .enum(['startDateTime', 'rank'])
      .optional()
      .describe('Order of slots: the earliest (default) or the best first.'),
    limit: whole(1, MOST_RESULTS).optional().describe('Most slots or ranges of the page; 100 by default.'),
    pageToken: z.string().optional().describe('`nextPageToken` of the page before, with the same query.'),
  })
  .meta({ id: 'AvailabilityQuery', description: 'Who is to meet, within which window, and by which rules.' });

/** Body of POST /v1/availability/explain. */
export const availabilityExplainQuery = z
  .strictObject({
    ...QUESTION,
    slotDateTime: instant.describe('Start of the slot: ISO 8601; without an offset, wall time in `timeZone`.'),
  })
  .meta({ id: 'AvailabilityExplainQuery', description: 'A query, and the start of a slot to explain.' });

const attendance = {
  participants: z.array(z.string()).describe('Ids of the participants who are taken, in the order of the query.'),
  absent: z.array(z.string()).describe('Ids of optional participants who are not free.'),
};

export const availableSlot = z
  .object({
    start: eventDateTime,
    end: eventDateTime,
    ...attendance,
    rank: z.number().describe('Place among all slots of the answer, from 1.'),
    reason: z.string().describe('The facts that decide the rank, in words.'),
  })
  .meta({ id: 'AvailableSlot', description: 'A time at which the participants can meet.' });

export const availableRange = z
  .object({ start: eventDateTime, end: eventDateTime, ...attendance })
  .meta({ id: 'AvailableRange', description: 'Any meeting of the duration within it is possible.' });

export const availabilityResult = z
  .object({
    slots: z.array(availableSlot).optional().describe('Unless ranges are asked for.'),
    ranges: z.array(availableRange).optional().describe('If ranges are asked for, in order of time.'),
    total: z.number().optional().describe('Number of slots on all pages.'),
    line: z.array(z.string()).describe('Ids of the hosts, the one who is due next first; empty unless round-robin.'),
    notConnected: z
      .array(notConnectedPerson)
      .optional()
      .describe('Each address of the participants, in the order of the query; absent if there is none.'),
    nextPageToken: z.string().nullable().describe('Token of the next page; null on the last one.'),
  })
  .meta({ id: 'AvailabilityResult', description: 'A page of the times at which the participants can meet.' });

export const slotObstacle = z
  .object({
    code: z
      .enum([
        'outside-window',
        'too-soon',
        'off-step',
        'busy',
        'buffer',
        'unknown',
        'outside-open-hours',
        'holiday',
        'min-gap',
        'max-per-day',
        'max-per-week',
        'too-few-in-group',
        'no-host',
        'not-next-in-line',
      ])
      .describe('Name of the rule.'),
    text: z.string().describe('The same in words.'),
    participantId: z.string().optional().describe('Participant whom it concerns.'),
    groupId: z.string().optional().describe('Group that it concerns.'),
    start: eventDateTime.optional().describe('Start of the busy time or booking in the way.'),
    end: eventDateTime.optional().describe('End of it.'),
  })
  .meta({ id: 'SlotObstacle', description: 'A rule that stands against a slot, with the interval in the way.' });

export const slotExplanation = z
  .object({
    start: eventDateTime,
    end: eventDateTime,
    isOffered: z.boolean().describe('Whether the query has the slot.'),
    obstacles: z.array(slotObstacle).describe('The rules that stand against it; none if it is offered.'),
    participants: z
      .array(
        z.object({
          id: z.string().describe('Id of the participant.'),
          isFree: z.boolean().describe('Whether nothing stands against the slot for this participant.'),
          obstacles: z.array(slotObstacle).describe('The rules that stand against it for this participant.'),
        }),
      )
      .describe('Each participant, optional ones and members of groups too.'),
  })
  .meta({ id: 'SlotExplanation', description: 'Why a slot is offered, or why not.' });
