import { createHash } from 'node:crypto';
import type { PrintableEvent, PrintableGroup } from '../../icalendar/index.ts';
import type { EventContent } from '../../ports/index.ts';
import { recurrenceIdText } from '../../recurrence/index.ts';

export type FeedDetail = 'full' | 'busy';

/** Returns what a feed shows of a group, all else cancelled, with contents as they are. A series that is not shown leaves its occurrences. */
export function shownGroup({ uid, master, exceptions }: PrintableGroup, detail: FeedDetail): PrintableGroup {
  const isShown = (event: PrintableEvent): boolean =>
    !event.isCancelled && event.content !== null && (detail === 'full' || takesTime(event.content));
  if (master === undefined || !isShown(master))
    return { uid, master: undefined, exceptions: exceptions.filter(isShown) };
  const shown = (event: PrintableEvent): PrintableEvent =>
    isShown(event) ? event : { ...event, isCancelled: true, content: null };
  return { uid, master, exceptions: exceptions.map(shown) };
}

/** Returns a shown group as a feed prints it. An occurrence without its series is an event of its own. */
export function printedGroups(
  { uid, master, exceptions }: PrintableGroup,
  feed: { readonly id: string; readonly detail: FeedDetail },
): readonly PrintableGroup[] {
  if (master === undefined) return exceptions.flatMap((event) => printedGroups(aloneGroup(uid, event), feed));
  const isNamed =
    feed.detail === 'full' && [master, ...exceptions].some(({ content }) => content !== null && isPublic(content));
  const contentOf = feed.detail === 'full' ? publicContent : busyContent;
  const printed = (event: PrintableEvent): PrintableEvent => ({
    ...event,
    content: event.content && contentOf(event.content),
  });
  return [{ uid: isNamed ? uid : hidden(feed.id, uid), master: printed(master), exceptions: exceptions.map(printed) }];
}

/** Returns an occurrence of the series of a UID as an event of its own. */
export function aloneGroup(uid: string, { recurrenceId, content }: PrintableEvent): PrintableGroup {
  const aloneUid = recurrenceId === null ? uid : `${recurrenceIdText(recurrenceId)}-${uid}`;
  return { uid: aloneUid, master: { recurrenceId: null, isCancelled: false, content }, exceptions: [] };
}

/** Leaves out what is the owner's own. An event that is not public to others is a time, which is free or busy. */
function publicContent(content: EventContent): EventContent {
  if (!isPublic(content)) {
    return takesTime(content) ? busyContent(content) : { ...busyContent(content), title: 'Free', ...FREE };
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
    ...(takesTime(content) ? {} : FREE),
  };
}

const FREE = { transparency: 'transparent', showAs: 'free' } as const;

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

function isPublic({ visibility }: EventContent): boolean {
  return visibility !== 'private' && visibility !== 'confidential';
}

function takesTime({ transparency, showAs, myResponseStatus }: EventContent): boolean {
  return transparency === 'opaque' && showAs !== 'free' && myResponseStatus !== 'declined';
}

/** Each feed has its own, so that neither the UID of a meeting nor another feed tells which meeting this is. */
function hidden(feedId: string, uid: string): string {
  // The empty text keeps the UIDs that programs have read already.
  const hash = createHash('sha256').update(JSON.stringify([feedId, uid, '']));
  return `${hash.digest('hex').slice(0, 32)}@busy`;
}
