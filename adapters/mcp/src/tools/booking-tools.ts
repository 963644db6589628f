import type { Booking, CalendarEvent } from 'kalends/model';
import { z } from 'zod';
import { createWritePair, type WritePlan } from '../previews/write-pair.ts';
import { createTool, type ToolContext } from '../tool.ts';
import { ToolRefusal } from '../tool-refusal.ts';
import { namingFields, participantName } from '../words/named-fields.ts';
import { DATA_NOTE, quotedName } from '../words/quoted.ts';
import { timesWords } from '../words/time-words.ts';
import { bookingLines, bookingTimes } from './booking-words.ts';
import { checkEdit } from './checked-write.ts';
import { notify } from './event-input.ts';
import { readZone, startWeekday, timeZone } from './inputs.ts';
import { attendeesOf, mailWords, peopleOf } from './mail-words.ts';
import { checkUnnamedZone } from './shown-zones.ts';
import { readSlotTimes, slotEnd, slotTime } from './slot-times.ts';

const bookingToken = z.string().min(1).max(256).describe('From confirm_hold, copied exactly.');

export const getBooking = createTool({
  name: 'get_booking',
  kind: 'read',
  title: 'Read a booking',
  description: 'Reads a booking and its event as it is now.',
  input: z.strictObject({ bookingToken }),
  async run({ engine, caller }, { bookingToken }) {
    const booking = await engine.bookings.get(caller, bookingToken);
    return [DATA_NOTE, ...bookingLines(booking)].join('\n');
  },
});

const move = z.strictObject({
  bookingToken,
  start: slotTime('New start of the slot.'),
  end: slotEnd.describe('New end, exclusive. By default the length stays.'),
  startWeekday,
  timeZone: timeZone.describe(
    "Zone of start and end. By default the booking's own; needed where that is not the zone of its calendar or of the primary one.",
  ),
  notifyAttendees: notify,
});

/** The tools that move a booking. */
export const moveBooking = createWritePair({
  name: 'move_booking',
  title: 'Move a booking',
  description: 'Moves a booking and its event to another slot, if that is free for all its participants.',
  input: move,
  isDestructive: true,
  async plan(context, sent): Promise<WritePlan> {
    const { engine, caller } = context;
    const { booking, event, ownEmail } = await readBooking(context, sent.bookingToken);
    if (event === null) throw new ToolRefusal('bookingToken: the event of the booking has been deleted. Cancel it.');
    const { endUserAccountId: accountId, calendarId } = booking;
    if (sent.timeZone === undefined) {
      await checkUnnamedZone(context, { accountId, calendarId }, booking.timeZone, sent);
    }
    const before = event.isAllDay ? bookingTimes(booking) : event;
    const zone = sent.timeZone === undefined ? booking.timeZone : readZone(sent.timeZone);
    const lengthMs = Date.parse(before.end.dateTime) - Date.parse(before.start.dateTime);
    const { asked, shown } = readSlotTimes(sent, zone, lengthMs);
    await checkEdit(
      context,
      { accountId, calendarId, notifyAttendees: sent.notifyAttendees },
      { mailed: attendeesOf(event) },
    );
    return {
      words: [
        `Move the booking ${quotedName(event.title)}.`,
        `  when: ${timesWords(event)} becomes ${timesWords(shown)}`,
        mailWords(peopleOf(event), ownEmail, sent.notifyAttendees, 'about its new time'),
        'If the new slot is not free for all participants, nothing is written.',
      ],
      state: stateOf(booking),
      async commit() {
        const request = sent.notifyAttendees && { notifyAttendees: sent.notifyAttendees };
        const names = participantName(booking.participants.map(({ endUserAccountId }) => endUserAccountId));
        const moved = await namingFields(names, engine.bookings.move(caller, sent.bookingToken, asked, request));
        return ['Moved:', ...bookingLines(moved)];
      },
    };
  },
});

/** The tools that cancel a booking. */
export const cancelBooking = createWritePair({
  name: 'cancel_booking',
  title: 'Cancel a booking',
  description: 'Ends a booking and deletes its event.',
  input: z.strictObject({ bookingToken, notifyAttendees: notify }),
  isDestructive: true,
  async plan(context, { bookingToken, notifyAttendees }): Promise<WritePlan> {
    const { engine, caller } = context;
    const { booking, event, ownEmail } = await readBooking(context, bookingToken);
    const when = timesWords(event ?? bookingTimes(booking));
    const { endUserAccountId: accountId, calendarId } = booking;
    if (event !== null) {
      await checkEdit(context, { accountId, calendarId, notifyAttendees }, { mailed: attendeesOf(event) });
    }
    return {
      words:
        event === null
          ? [`End the booking of ${when}. Its event has been deleted already.`, 'Mail: none.']
          : [
              `Cancel the booking ${quotedName(event.title)} and delete its event.`,
              `  when: ${when}`,
              mailWords(peopleOf(event), ownEmail, notifyAttendees, 'that it is cancelled'),
            ],
      state: stateOf(booking),
      async commit() {
        await engine.bookings.cancel(caller, bookingToken, notifyAttendees && { notifyAttendees });
        return [`Cancelled the booking of ${when}.`];
      },
    };
  },
});

async function readBooking({ engine, caller }: ToolContext, bookingToken: string) {
  const booking = await engine.bookings.get(caller, bookingToken);
  const { email: ownEmail } = await engine.accounts.get(caller, booking.endUserAccountId);
  const event: CalendarEvent | null = booking.event;
  return { booking, event, ownEmail };
}

function stateOf({ holdId, startDateTime, event }: Booking): string {
  return `${holdId} ${startDateTime} ${event === null ? 'deleted' : event.etag}`;
}
