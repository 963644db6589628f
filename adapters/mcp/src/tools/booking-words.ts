import type { Booking } from 'kalends/model';
import { eventLines } from '../words/event-words.ts';
import { quoted } from '../words/quoted.ts';
import { type EventTimes, timesWords } from '../words/time-words.ts';

/** Returns the times of a hold or a booking as words take them. */
export function bookingTimes({
  startDateTime,
  endDateTime,
  timeZone,
}: Pick<Booking, 'startDateTime' | 'endDateTime' | 'timeZone'>): EventTimes {
  return {
    start: { dateTime: startDateTime, timeZone },
    end: { dateTime: endDateTime, timeZone },
    isAllDay: false,
  };
}

/** Returns a booking as the lines of an answer. */
export function bookingLines(booking: Booking): readonly string[] {
  const { event, endUserAccountId, calendarId, token } = booking;
  return [
    ...(event === null
      ? [`- booked for ${timesWords(bookingTimes(booking))}; its event has been deleted`]
      : eventLines(event, undefined)),
    `  accountId: ${quoted(endUserAccountId)}`,
    `  calendarId: ${quoted(calendarId)}`,
    `  bookingToken: ${quoted(token)}`,
  ];
}
