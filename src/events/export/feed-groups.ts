import { createHash } from 'node:crypto';
import type { PrintableEvent, PrintableGroup } from '../../icalendar/index.ts';
import type { EventContent } from '../../ports/index.ts';

/** Returns the groups that a feed shows of one: nothing of an event that it leaves out. */
export function feedGroups(
  group: PrintableGroup,
  { id, detail }: { readonly id: string; readonly detail: 'full' | 'busy' },
): readonly PrintableGroup[] {
  return detail === 'busy' ? busyGroups(group, id) : fullGroups(group);
}

function fullGroups({ uid, master, exceptions }: PrintableGroup): readonly PrintableGroup[] {
  if (master?.isCancelled === true) return [];
  const shown = (event: PrintableEvent): PrintableEvent =>
    event.content === null ? event : { ...event, content: publicContent(event.content) };
  return [{ uid, master: master === undefined ? undefined : shown(master), exceptions: exceptions.map(shown) }];
}

/** Leaves out what is the owner's own. An event that is not public to others is a time, which is free or busy. */
function publicContent(content: EventContent): EventContent {
  if (content.visibility === 'private' || content.visibility === 'confidential') {
    return takesTime(content)
      ? busyContent(content)
      : { ...busyContent(content), title: 'Free', transparency: 'transparent', showAs: 'free' };
  }
  const { description, location, conferenceData, attendees, organizer, guestsCanSeeOtherGuests } = content;
  return {
    ...busyContent(content),
    title: content.title,
    description,
    location,
    categories: content.categories,
    transparency: content.transparency,
    status: content.status,
    showAs: content.showAs,
    createdAt: content.createdAt,
    updatedAt: content.updatedAt,
    ...(organizer === undefined ? {} : { organizer }),
    attendees: guestsCanSeeOtherGuests ? attendees.map(({ comment: _, ...attendee }) => attendee) : [],
    ...(conferenceData === undefined ? {} : { conferenceData }),
  };
}

/** Nothing of the event but when it is. */
function busyContent(content: EventContent): EventContent {
  const { iCalUid, start, end, isAllDay, recurrence } = content;
  const never = new Date(0).toISOString();
  return {
    ...{ iCalUid, start, end, isAllDay, recurrence },
    title: 'Busy',
    description: '',
    location: '',
    attendees: [],
    reminders: { useDefault: false, isReminderOn: false, overrides: [] },
    visibility: 'default',
    transparency: 'opaque',
    status: 'confirmed',
    showAs: 'busy',
    eventType: 'default',
    categories: [],
    guestsCanSeeOtherGuests: true,
    hasAttachments: false,
    publicExtendedProperties: {},
    privateExtendedProperties: {},
    webLink: '',
    createdAt: never,
    updatedAt: never,
  };
}

function isBusy({ isCancelled, content }: PrintableEvent): boolean {
  return !isCancelled && content !== null && takesTime(content);
}

function takesTime({ transparency, showAs, myResponseStatus }: EventContent): boolean {
  return transparency === 'opaque' && showAs !== 'free' && myResponseStatus !== 'declined';
}

/** Each feed has its own, so that neither the UID of a meeting nor another feed tells which meeting this is. */
const hidden = (feedId: string, uid: string, slot = ''): string =>
  `${createHash('sha256')
    .update(JSON.stringify([feedId, uid, slot]))
    .digest('hex')
    .slice(0, 32)}@busy`;

const slotText = ({ recurrenceId }: PrintableEvent): string => JSON.stringify(recurrenceId);

/** A series that is free shows those of its occurrences that are busy, each as an event of its own. */
function busyGroups({ uid, master, exceptions }: PrintableGroup, feedId: string): readonly PrintableGroup[] {
  const shown = (event: PrintableEvent): PrintableEvent =>
    isBusy(event) && event.content !== null
      ? { ...event, content: busyContent(event.content) }
      : { ...event, isCancelled: true, content: null };
  if (master !== undefined && isBusy(master)) {
    return [{ uid: hidden(feedId, uid), master: shown(master), exceptions: exceptions.map(shown) }];
  }
  return exceptions.filter(isBusy).map((event) => ({
    uid: hidden(feedId, uid, slotText(event)),
    master: { ...shown(event), recurrenceId: null },
    exceptions: [],
  }));
}
