import { z } from 'zod';
import { assignmentPool } from './assignment-pool.ts';
import { bookingInput } from './availability.ts';
import { availabilityRules, minutes, RULES, whole } from './availability-rules.ts';
import { calendarEvent } from './event.ts';
import { eventCreate } from './event-input.ts';
import { besideOthers } from './primitives.ts';

/** Most calendars of all participants of a hold together. */
export const MOST_HOLD_CALENDARS = 200;
const MOST_HOLD_BOOKINGS = 1_000;

const id = z.string().min(1, 'must not be empty').max(1024, 'must be at most 1024 characters');

export const holdParticipant = z
  .strictObject({
    endUserAccountId: id.describe('Id of an account of the application.'),
    calendarIds: z
      .array(id)
      .min(1, 'must name at least one calendar')
      .max(50, 'must name at most 50 calendars')
      .describe('Ids of its calendars in which the slot has to be free.'),
  })
  .meta({ id: 'HoldParticipant', description: 'An account whose time a hold takes.' });

export const holdParticipantInput = z
  .strictObject({
    ...holdParticipant.shape,
    timeZone: z.string().optional().describe('Zone of the open hours, days and weeks; that of the slot by default.'),
    bookings: z
      .array(bookingInput)
      .max(MOST_HOLD_BOOKINGS, `must have at most ${MOST_HOLD_BOOKINGS} bookings`)
      .optional()
      .describe('Bookings that `maxPerDay`, `maxPerWeek` and `minGapMinutes` of `nextSlots` count.'),
    ...RULES,
  })
  .meta({
    id: 'HoldParticipantInput',
    description: 'An account whose time a hold takes, and its rules for `nextSlots`.',
  });

export const holdCandidate = z
  .strictObject({
    ...holdParticipantInput.shape,
    weight: whole(1, 1_000).optional().describe('Share of the assignments; 1 by default.'),
  })
  .meta({
    id: 'HoldCandidate',
    description: 'An account that a hold may be assigned to, and the rules by which it may.',
  });

export const holdRoundRobin = z
  .strictObject({
    ...assignmentPool.shape,
    candidates: z
      .array(holdCandidate)
      .min(1, 'must name at least one candidate')
      .max(50, 'must name at most 50 candidates')
      .describe(
        '1 to 50 accounts, each once. Of those to whom calendars, holds and their rules leave the slot, the one with the best claim is taken.',
      ),
  })
  .meta({ id: 'HoldRoundRobin', description: 'A choice of one of several accounts by their assignments in a pool.' });

export const holdAssignment = z
  .object({
    pool: z.string().describe('Pool in which it counts.'),
    endUserAccountId: z.string().describe('Account that was chosen. It organizes.'),
  })
  .meta({ id: 'HoldAssignment', description: 'Who was chosen of the candidates of a hold.' });

/** Calendars that get an event: the organizer's alone, or each participant's. */
const writeTo = z.enum(['organizer', 'each'], { error: 'must be organizer or each' });

export const tentativeEvent = z
  .strictObject({
    writeTo: writeTo.describe('Calendars that show the slot: that of the organizer, or the first of each participant.'),
    title: z
      .string()
      .min(1, 'must not be empty')
      .max(1024, 'must be at most 1024 characters')
      .optional()
      .describe('`Hold` by default.'),
  })
  .meta({
    id: 'TentativeEvent',
    description: 'A tentative event in the slot while it is held, without guests and reminders. It goes with the hold.',
  });

const slotInput = {
  startDateTime: z
    .string()
    .describe('Start of the slot in whole seconds: ISO 8601; without an offset, wall time in `timeZone`.'),
  endDateTime: z.string().describe('End of the slot, exclusive; from a minute to 31 days later.'),
  timeZone: z.string().describe('Zone of the slot and of its event, by its IANA or Windows name.'),
  pullFirst: z
    .boolean()
    .optional()
    .describe('Whether to read the calendars at their providers before the check; false by default.'),
};

/** Body of POST /v1/holds. */
export const holdCreate = z
  .strictObject({
    participants: z
      .array(holdParticipantInput)
      .min(1, 'must name at least one participant')
      .max(50, 'must name at most 50 participants')
      .optional()
      .describe(
        '1 to 50 accounts, each once. The first one organizes: the event is written to the first of its calendars. Optional beside `roundRobin`.',
      ),
    roundRobin: holdRoundRobin
      .optional()
      .describe('One more participant: the candidate who is free and next in line. It comes first, and organizes.'),
    ...slotInput,
    expiresInSeconds: z
      .number()
      .int()
      .min(10, 'must be at least 10')
      .max(600, 'must be at most 600')
      .optional()
      .describe('How long the slot is held unless it is confirmed; 300 by default.'),
    tentativeEvent: tentativeEvent.optional(),
    rules: availabilityRules
      .optional()
      .describe('Rules of `nextSlots`, and of candidates, for those that have none of their own.'),
    stepMinutes: whole(1, 1_440)
      .optional()
      .describe('`nextSlots` start at its multiples after midnight; 15 by default.'),
    noticeMinutes: minutes().optional().describe('Least time from now to the start of `nextSlots`; 0 by default.'),
  })
  .refine(({ participants, roundRobin }) => participants !== undefined || roundRobin !== undefined, {
    path: ['participants'],
    error: 'is required',
    ...besideOthers,
  })
  .meta({ id: 'HoldCreate', description: 'A slot to take for all participants.' });

const slot = {
  startDateTime: z.string().describe('Start, `2026-03-01T09:00:00-05:00`.'),
  endDateTime: z.string().describe('End, exclusive.'),
  timeZone: z.string().describe('IANA time zone name.'),
};

export const hold = z
  .object({
    id: z.string().describe('Id of the hold, `hld_…`.'),
    status: z
      .enum(['held', 'confirming', 'booked', 'expired'])
      .describe('`confirming`: its event is being written. `expired`: it takes nothing any more.'),
    ...slot,
    participants: z.array(holdParticipant).describe('Its participants; those of deleted accounts are gone.'),
    expiresAt: z.string().describe('Instant until which the slot is taken, RFC 3339.'),
    createdAt: z.string().describe('Creation, RFC 3339.'),
    assignment: holdAssignment.nullable().describe('Whom `roundRobin` has chosen; null without it.'),
    bookingToken: z.string().nullable().describe('Token of its booking; null unless it is `booked`.'),
  })
  .meta({ id: 'Hold', description: 'A slot that is taken for some minutes.' });

export const holdEvent = eventCreate
  .pick({
    title: true,
    description: true,
    location: true,
    attendees: true,
    conferenceData: true,
    generateMeetingUrlProvider: true,
    reminders: true,
    visibility: true,
    colorId: true,
    publicExtendedProperties: true,
    privateExtendedProperties: true,
  })
  .meta({
    id: 'HoldEvent',
    description:
      'The event to write, without its times. The other participants are invited unless they are attendees already, or get an event of their own.',
  });

/** Body of POST /v1/holds/{holdId}/confirm. */
export const holdConfirm = z
  .strictObject({
    event: holdEvent,
    writeTo: writeTo
      .optional()
      .describe(
        'Calendars that get the event. `organizer` (default): the other participants are invited. `each`: every participant gets an event of their own, all or none.',
      ),
    pullFirst: slotInput.pullFirst,
  })
  .meta({ id: 'HoldConfirm', description: 'The event that a hold becomes.' });

export const participantEvent = z
  .object({
    endUserAccountId: z.string().describe('Account of the participant.'),
    calendarId: z.string().describe('Calendar of the event.'),
    eventId: z.string().describe('Id of the event.'),
  })
  .meta({ id: 'ParticipantEvent', description: 'An event of a booking.' });

export const booking = z
  .object({
    token: z
      .string()
      .describe('Right to move and cancel the booking, for the link in its mail. Every answer about it has the same.'),
    holdId: z.string().describe('Id of the hold that it was, `hld_…`.'),
    ...slot,
    participants: z.array(holdParticipant).describe('Its participants.'),
    endUserAccountId: z.string().describe('Account of the organizer.'),
    calendarId: z.string().describe('Calendar of the event.'),
    event: calendarEvent.nullable().describe('Its event as it is now; null when it has been deleted.'),
    participantEvents: z.array(participantEvent).describe('Every event that was written, that of the organizer first.'),
  })
  .meta({
    id: 'Booking',
    description:
      'A confirmed hold and its event. The slot is that of the hold, or of the last move; `event` has the time that it has now.',
  });

/** Body of PUT /v1/bookings/{token}. */
export const bookingMove = z
  .strictObject(slotInput)
  .meta({ id: 'BookingMove', description: 'The slot that a booking is to move to.' });

export const freeSlot = z
  .object(slot)
  .meta({ id: 'FreeSlot', description: 'A slot of the same length that is free for all participants.' });
