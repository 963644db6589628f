import type { Caller } from '../engine-interface.ts';
import { busyTypeOf } from '../mirror/index.ts';
import { type CalendarEvent, PAGE_SIZE } from '../model/index.ts';
import type { HeldSlot } from '../ports/index.ts';
import { DAY_MS, instantOfText } from '../zones/index.ts';
import type { HoldTarget } from './hold-events.ts';
import type { Place } from './hold-view.ts';

/** Finds the times in a calendar that are not in the way: those of busy events of a hold or booking itself which meet a window. */
export type OwnTimes = (place: Place, window: HeldSlot) => Promise<readonly HeldSlot[]>;

/**
 * Finds the time of a booking's events, and of the copies that invited participants have. All of them have one UID, wherever a mirror
 * still shows them.
 */
export function ownTimesOf(events: HoldTarget, caller: Caller, booked: readonly CalendarEvent[]): OwnTimes {
  const uids = new Set(booked.map(({ iCalUid }) => iCalUid).filter((uid) => uid !== ''));
  // A mirror may still show a copy that was longer.
  const longestMs = Math.max(DAY_MS, ...booked.map(timeOf).map(({ startMs, endMs }) => endMs - startMs));
  return async ({ accountId, calendarId }, window) => {
    const query = {
      // A list has what lies within its window.
      startDateTime: new Date(window.startMs - longestMs).toISOString(),
      endDateTime: new Date(window.endMs + longestMs).toISOString(),
      expandRecurrences: true,
      limit: PAGE_SIZE.events.maximum,
    };
    const own: HeldSlot[] = [];
    let pageToken: string | undefined;
    do {
      const page = await events.list(caller, accountId, calendarId, pageToken === undefined ? query : { pageToken });
      const present = page.data.filter((event) => uids.has(event.iCalUid) && busyTypeOf(event) !== undefined);
      own.push(...present.map(timeOf));
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    return own;
  };
}

/** Returns the time of an event. */
export function timeOf({ start, end }: CalendarEvent): HeldSlot {
  const startMs = instantOfText(start.dateTime, start.timeZone);
  return { startMs, endMs: Math.max(startMs, instantOfText(end.dateTime, end.timeZone)) };
}
