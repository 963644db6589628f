import type { NotifyAttendees } from 'kalends/model';
import type { EventContent, EventPatch } from 'kalends/ports';
import type { SendUpdates } from '../options.ts';
import { isEcho } from './echo.ts';

const SEND_UPDATES = { all: 'all', external: 'externalOnly', none: 'none' } as const;

/** Fields of a patch that guests see on their own copies. */
const SEEN_BY_GUESTS = [
  'title',
  'description',
  'location',
  'start',
  'end',
  'isAllDay',
  'isCancelled',
  'recurrence',
  'attendees',
  'conferenceData',
  'generateMeetingUrlProvider',
  'status',
] as const satisfies readonly (keyof EventPatch)[];

/**
 * Returns Google's `sendUpdates`: what the caller asks for, else `usual` for a write that guests see, else `none`, since a
 * colour is no reason to mail guests.
 */
export function sendUpdatesFor(
  notifyAttendees: NotifyAttendees | undefined,
  { usual, isSeen }: { readonly usual: SendUpdates; readonly isSeen: boolean },
): SendUpdates {
  if (notifyAttendees !== undefined) return SEND_UPDATES[notifyAttendees];
  return isSeen ? usual : 'none';
}

/** Returns whether a patch changes what guests see; `content` is the event before it, undefined when unknown. */
export function isSeenByGuests(patch: EventPatch, content: EventContent | undefined): boolean {
  const seen: EventPatch = Object.fromEntries(
    SEEN_BY_GUESTS.flatMap((field) => (patch[field] === undefined ? [] : [[field, patch[field]]])),
  );
  if (Object.keys(seen).length === 0) return false;
  return content === undefined || seen.isCancelled === false || !isEcho(seen, content);
}
