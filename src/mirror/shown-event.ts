import type { EventContent, ItemVersion, ProviderEvent } from '../ports/index.ts';
import { zoneDataVersion } from '../runtime/index.ts';
import { formatInstant, instantOfText, resolveZone } from '../zones/index.ts';

/**
 * A version of a single event whose public record can be cut out of the stored text: what an answer shows of it is neither
 * parsed nor printed.
 */
export interface ShownEvent {
  readonly version: ItemVersion;
  readonly text: string;
  /** Where the text has the commas before `createdAt`, `start`, `isAllDay` and `recurrence`, and the end of the content. */
  readonly created: number;
  readonly start: number;
  readonly day: number;
  readonly recurrence: number;
  readonly end: number;
}

type KeptEvent = Omit<ProviderEvent, 'providerTag' | 'unreadableParts' | 'uncopyable' | 'untold'>;

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
/** Members behind the content, which say that the record depends on nothing else. */
const REST: readonly string[] = ['providerEventId', 'seriesId', 'recurrenceId', 'isCancelled', 'isOrganizer'];
const REST_FORM =
  /^\},"providerEventId":"(?:[^"\\]|\\.)*","seriesId":null,"recurrenceId":null,"isCancelled":false,"isOrganizer":(?:true|false)\}$/;

/** Offsets are printed into the text: it counts for the tz data that they were worked out with. */
const MARK = { shown: zoneDataVersion() };
const BEGIN = `${JSON.stringify(MARK).slice(0, -1)},"content":{`;
const OURS = '"isRecurring":false,"isException":false,"isCancelled":false';

/**
 * Returns the event as it is to be stored: if its record depends on nothing else, in the order in which the record can be cut
 * out of the text.
 */
export function storedForm(event: KeptEvent): object {
  const { content } = event;
  if (content === null || !isPlain(event) || !isShown(content)) return event;
  const inOrder: Record<string, unknown> = {};
  for (const name of FIELDS) if (name in content) inOrder[name] = content[name as keyof EventContent];
  // A field that the record has not would be cut out with the others.
  if (Object.keys(inOrder).length < Object.keys(content).length) return event;
  const { providerEventId, seriesId, recurrenceId, isCancelled, isOrganizer } = event;
  return { ...MARK, content: inOrder, providerEventId, seriesId, recurrenceId, isCancelled, isOrganizer };
}

function isPlain(event: KeptEvent): boolean {
  const { seriesId, recurrenceId, isCancelled, isOrganizer, content: _, ...others } = event;
  const isAlone = Object.entries(others).every(([name, value]) => REST.includes(name) || value === undefined);
  return isAlone && seriesId === null && recurrenceId === null && !isCancelled && typeof isOrganizer === 'boolean';
}

/** Providers of others may give what the types do not allow: the parts are found only between texts, and objects of texts. */
function isShown(content: EventContent): boolean {
  const { title, description, createdAt, updatedAt, isAllDay, recurrence, start, end } = content;
  const { publicExtendedProperties, privateExtendedProperties, attendees, hasAttachments } = content;
  if (isAllDay !== false || recurrence !== null || attendees === undefined || hasAttachments === undefined)
    return false;
  const properties = [publicExtendedProperties, privateExtendedProperties].flatMap(Object.values);
  const texts: readonly unknown[] = [title, description, createdAt, updatedAt, ...properties];
  return texts.every((text) => typeof text === 'string') && isInOwnZone(start) && isInOwnZone(end);
}

/** Whether a time is written as it is shown. */
function isInOwnZone(time: EventContent['start']): boolean {
  const { dateTime, timeZone } = time;
  if (resolveZone(timeZone) !== timeZone || Object.keys(time).join() !== 'dateTime,timeZone') return false;
  const ms = instantOfText(dateTime, timeZone);
  return dateTime.length === TIME_LENGTH && !Number.isNaN(ms) && formatInstant(timeZone, ms) === dateTime;
}

/** Finds the parts of a version's text; undefined where the record cannot be cut out of it, and has to be parsed. */
export function shownEvent(version: ItemVersion): ShownEvent | undefined {
  const { contentText: text, itemId, groupId } = version;
  if (text === undefined || itemId !== groupId || !text.startsWith(BEGIN)) return undefined;
  // A quote within a JSON string is escaped, so a comma and a quote begin a member. Before each of these are only strings and
  // objects of strings.
  const created = text.indexOf(',"createdAt":', BEGIN.length);
  const start = text.indexOf(START, created);
  const day = text.indexOf(',"isAllDay":false,', start);
  const recurrence = text.indexOf(',"recurrence":null,', day);
  const end = text.lastIndexOf('},"providerEventId":');
  // A process of an earlier version may have written the members on, with others beside them.
  const isWhole = created > 0 && start > created && day > start && recurrence > day && end > recurrence;
  return isWhole && REST_FORM.test(text.slice(end))
    ? { version, text, created, start, day, recurrence, end }
    : undefined;
}

/** Returns the JSON of the record, in the event's own zone or in another. */
export function shownJson(shown: ShownEvent, displayZone: string | undefined): string {
  const { version, text, created, start, day, recurrence, end } = shown;
  const head = `{"id":${JSON.stringify(version.itemId)},${text.slice(BEGIN.length, created)},"etag":"\\"${version.etag}\\""`;
  const middle =
    displayZone === undefined
      ? text.slice(created, recurrence)
      : text.slice(created, start) + timesIn(displayZone, shown) + text.slice(day, recurrence);
  return `${head}${middle},${OURS}${text.slice(recurrence, end)}}`;
}

const START = ',"start":{"dateTime":"';
const END = '},"end":{"dateTime":"';
/** Length of a time with its offset. */
const TIME_LENGTH = '2026-03-01T09:00:00-05:00'.length;

/** Returns the instants of its times, epoch milliseconds. */
export function shownInstants({ text, start }: ShownEvent): { readonly startMs: number; readonly endMs: number } {
  const from = start + START.length;
  const to = text.indexOf(END, from) + END.length;
  return {
    startMs: Date.parse(text.slice(from, from + TIME_LENGTH)),
    endMs: Date.parse(text.slice(to, to + TIME_LENGTH)),
  };
}

function timesIn(zone: string, shown: ShownEvent): string {
  const { startMs, endMs } = shownInstants(shown);
  const rest = `","timeZone":${JSON.stringify(zone)}}`;
  return `,"start":{"dateTime":"${formatInstant(zone, startMs)}${rest},"end":{"dateTime":"${formatInstant(zone, endMs)}${rest}`;
}
