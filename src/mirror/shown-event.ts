import type { EventContent, ItemVersion, ProviderEvent } from '../ports/index.ts';
import { zoneDataVersion } from '../runtime/index.ts';
import { formatInstant, instantOfText, resolveZone } from '../zones/index.ts';

/**
 * A version of a single event whose public record can be cut out of the stored text: what an answer shows of it is neither
 * parsed nor printed.
 */
export type ShownVersion = ItemVersion & { readonly contentText: string };

/** The content's fields in the order of the interface's documentation, which has fields of ours between the three parts. */
const HEAD = ['title', 'description'] as const;
const MIDDLE = [
  ...['createdAt', 'updatedAt', 'start', 'end', 'isAllDay'],
  ...['publicExtendedProperties', 'privateExtendedProperties'],
] as const;
const TAIL = [
  ...['recurrence', 'colorId', 'customColor', 'myResponseStatus', 'attendees', 'visibility', 'location'],
  ...['conferenceData', 'webLink', 'iCalUid', 'transparency', 'eventType', 'organizer', 'creator', 'reminders'],
  ...['generateMeetingUrlProvider', 'status', 'showAs', 'categories', 'locationDetails', 'guestsCanModify'],
  ...[
    'guestsCanInviteOthers',
    'guestsCanSeeOtherGuests',
    'allowNewTimeProposals',
    'hasAttachments',
    'providerEventType',
  ],
] as const;
const FIELDS: readonly string[] = [...HEAD, ...MIDDLE, ...TAIL];
/** Fields that every content has; without one of them the parts cannot be found. */
const NEEDED = ['title', 'description', 'createdAt', 'updatedAt', 'attendees', 'hasAttachments'] as const;

/** Offsets are printed into the text: it counts for the tz data that they were worked out with. */
const MARK = { shown: zoneDataVersion() };
const BEGIN = `${JSON.stringify(MARK).slice(0, -1)},"content":{`;
const OURS = '"isRecurring":false,"isException":false,"isCancelled":false';

/**
 * Returns the event as it is to be stored: if its record depends on nothing else, in the order in which the record can be cut
 * out of the text.
 */
export function storedForm<Event extends Omit<ProviderEvent, 'providerTag' | 'unreadableParts'>>(event: Event): object {
  const { content, providerEventId, ...rest } = event;
  if (content === null || !isShown(event, content)) return event;
  const inOrder: Record<string, unknown> = {};
  for (const name of FIELDS) if (name in content) inOrder[name] = content[name as keyof EventContent];
  // A field that the record has not, or a place of its own in it, would be cut out with the others.
  if (Object.keys(inOrder).length < Object.keys(content).length) return event;
  return { ...MARK, content: inOrder, providerEventId, ...rest };
}

function isShown(event: Omit<ProviderEvent, 'providerTag' | 'unreadableParts'>, content: EventContent): boolean {
  if (event.isCancelled || event.seriesId !== null || event.recurrenceId !== null || event.overrides !== undefined) {
    return false;
  }
  if (content.recurrence !== null || content.isAllDay || !isInOwnZone(content.start) || !isInOwnZone(content.end)) {
    return false;
  }
  return NEEDED.every((name) => content[name] !== undefined);
}

/** Whether a time is written as it is shown. */
function isInOwnZone(time: EventContent['start']): boolean {
  const { dateTime, timeZone } = time;
  if (resolveZone(timeZone) !== timeZone || Object.keys(time).join() !== 'dateTime,timeZone') return false;
  const ms = instantOfText(dateTime, timeZone);
  return dateTime.length === TIME_LENGTH && !Number.isNaN(ms) && formatInstant(timeZone, ms) === dateTime;
}

/** Whether the record of a version can be cut out of its text; else it has to be parsed. */
export function isShownVersion(version: ItemVersion): version is ShownVersion {
  return version.itemId === version.groupId && version.contentText?.startsWith(BEGIN) === true;
}

/** Returns the JSON of the record, in the event's own zone or in another. */
export function shownJson({ contentText, itemId, etag }: ShownVersion, displayZone: string | undefined): string {
  // A quote within a JSON string is escaped, so a comma and a quote begin a member. Before each of these are only strings and
  // objects of strings.
  const created = contentText.indexOf(',"createdAt":', BEGIN.length);
  const start = contentText.indexOf(START, created);
  const day = contentText.indexOf(',"isAllDay":', start);
  const recurrence = contentText.indexOf(',"recurrence":null,', day);
  const end = contentText.lastIndexOf('},"providerEventId":');
  const head = `{"id":${JSON.stringify(itemId)},${contentText.slice(BEGIN.length, created)},"etag":"\\"${etag}\\""`;
  const middle =
    displayZone === undefined
      ? contentText.slice(created, recurrence)
      : contentText.slice(created, start) +
        timesIn(displayZone, contentText, start) +
        contentText.slice(day, recurrence);
  return `${head}${middle},${OURS}${contentText.slice(recurrence, end)}}`;
}

/** Returns the instants of a version's times, epoch milliseconds. */
export function shownInstants({ contentText }: ShownVersion): { readonly startMs: number; readonly endMs: number } {
  return instantsAt(contentText, contentText.indexOf(START, contentText.indexOf(',"createdAt":', BEGIN.length)));
}

const START = ',"start":{"dateTime":"';
const END = '},"end":{"dateTime":"';
/** Length of a time with its offset. */
const TIME_LENGTH = '2026-03-01T09:00:00-05:00'.length;

function instantsAt(text: string, start: number): { readonly startMs: number; readonly endMs: number } {
  const from = start + START.length;
  const to = text.indexOf(END, from) + END.length;
  return {
    startMs: Date.parse(text.slice(from, from + TIME_LENGTH)),
    endMs: Date.parse(text.slice(to, to + TIME_LENGTH)),
  };
}

function timesIn(zone: string, text: string, start: number): string {
  const { startMs, endMs } = instantsAt(text, start);
  const rest = `","timeZone":${JSON.stringify(zone)}}`;
  return `,"start":{"dateTime":"${formatInstant(zone, startMs)}${rest},"end":{"dateTime":"${formatInstant(zone, endMs)}${rest}`;
}
