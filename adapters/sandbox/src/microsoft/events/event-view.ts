import type { Event, ResponseStatus as GraphResponse } from '@microsoft/microsoft-graph-types';
import type { Preferences } from '../api/graph-request.ts';
import type { JsonRecord } from '../api/odata-filter.ts';
import { iCalUIdOf, itemId, shareOf } from '../identity.ts';
import { type Occurrence, seriesOf } from '../series/series.ts';
import type {
  EmailAddress,
  EventFields,
  MicrosoftWorld,
  ResponseStatus,
  StoredEvent,
  StoredTime,
  StoredTimeSlot,
} from '../state.ts';
import { formatGraphInstant, formatGraphWall, formatSecond, instantOfTime, wallIn } from '../times.ts';

/** An event in the form of answers. */
export type EventView = Event & { '@odata.etag': string; id: string };

/** One item of a list: a single event or master, or a slot of a series. */
export type Item = { readonly event: StoredEvent; readonly occurrence: Occurrence | null };

/** The viewer of an event: the owner of its calendar, or a mailbox that it is shared with. */
export interface Viewer {
  readonly world: MicrosoftWorld;
  readonly prefer: Preferences;
  readonly seesPrivate: boolean;
  /** Address of the request. */
  readonly url: string;
}

const NEVER = '0001-01-01T00:00:00Z';

export const fieldsOf = (item: Item): EventFields => item.occurrence?.fields ?? item.event.fields;

const changeKeyOf = (item: Item): string => item.occurrence?.exception?.changeKey ?? item.event.changeKey;

export const etagOf = (item: Item): string => `W/"${changeKeyOf(item)}"`;

export function idOf(item: Item, immutable: boolean): string {
  const { event, occurrence } = item;
  const slot = occurrence ? { generation: seriesOf(event).generation, date: occurrence.date } : null;
  return itemId({ key: event.key, slot }, immutable);
}

export function typeOf(item: Item): 'singleInstance' | 'occurrence' | 'exception' | 'seriesMaster' {
  if (item.occurrence) return item.occurrence.exception ? 'exception' : 'occurrence';
  return item.event.series ? 'seriesMaster' : 'singleInstance';
}

/** Renders a time. All-day events float: midnight in any requested zone, labelled UTC. */
export function timeView(
  time: StoredTime,
  isAllDay: boolean,
  prefer: Preferences,
): { dateTime: string; timeZone: string } {
  if (isAllDay) return { dateTime: formatGraphWall(time.wallMs), timeZone: 'UTC' };
  return { dateTime: formatGraphWall(wallIn(prefer.timeZone, instantOfTime(time))), timeZone: prefer.timeZone };
}

const timeSlotView = ({ start, end }: StoredTimeSlot, prefer: Preferences) => ({
  start: timeView(start, false, prefer),
  end: timeView(end, false, prefer),
});

const statusView = (status: ResponseStatus): GraphResponse => ({
  response: status.response,
  time: status.at === null ? NEVER : formatSecond(status.at),
});

const plainText = (html: string): string =>
  html
    .replace(/<a\s([^<>]*)>([^<>]*)<\/a>/gi, (_, attributes: string, text: string) => `${text}${targetOf(attributes)}`)
    .replace(/<(br|\/p|\/div)\s*\/?>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');

/** Exchange writes the target of a link behind its text. */
function targetOf(attributes: string): string {
  const [, target] = /href="([^"]*)"/i.exec(attributes) ?? [];
  return target === undefined ? '' : `&lt;${target}&gt;`;
}

const escapeHtml = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\r?\n/g, '<br>');

/** Renders a body: a whole HTML document unless the client prefers text, however it was written. */
function bodyView(viewer: Viewer, body: EventFields['body']): { contentType: 'text' | 'html'; content: string } {
  const isText = body.contentType === 'text';
  if (viewer.prefer.textBodies) {
    return { contentType: 'text', content: isText ? body.content : plainText(body.content) };
  }
  const html = isText ? escapeHtml(body.content) : body.content;
  if (!viewer.world.state.settings.htmlWrapping || html === '' || /<html/i.test(html)) {
    return { contentType: 'html', content: html };
  }
  return { contentType: 'html', content: `<html><head></head><body>${html}</body></html>` };
}

function locationViews(fields: EventFields): Pick<Event, 'location' | 'locations'> {
  const locations = fields.locations.map((location) => ({
    uniqueId: String(location['displayName']),
    uniqueIdType: 'private' as const,
    locationType: 'default' as const,
    ...location,
  }));
  const none = { displayName: '', locationType: 'default' as const, uniqueIdType: 'unknown' as const };
  return { location: locations[0] ?? none, locations };
}

const recipient = (address: EmailAddress) => ({ emailAddress: { name: address.name, address: address.address } });

function recurrenceView(event: StoredEvent): Pick<Event, 'recurrence'> {
  if (!event.series) return { recurrence: null };
  const { pattern, range } = event.series.recurrence;
  const recurrenceTimeZone = event.series.zoneLabel ?? range.recurrenceTimeZone;
  return { recurrence: { pattern, range: { ...range, recurrenceTimeZone } } as Event['recurrence'] };
}

function onlineView(fields: EventFields): Partial<Event> {
  return {
    isOnlineMeeting: fields.isOnlineMeeting,
    onlineMeetingProvider: fields.onlineMeetingProvider as Event['onlineMeetingProvider'],
    onlineMeeting: fields.joinUrl === null ? null : { joinUrl: fields.joinUrl },
    onlineMeetingUrl: null,
  };
}

/** Renders the properties that only a slot of a series has. */
function slotView(item: Item, prefer: Preferences): Partial<Event> {
  const { event, occurrence } = item;
  return { seriesMasterId: occurrence ? itemId({ key: event.key, slot: null }, prefer.immutableIds) : null };
}

const HIDDEN: Partial<EventFields> = {
  subject: 'Private Appointment',
  body: { contentType: 'html', content: '' },
  locations: [],
  attendees: [],
  categories: [],
  attachments: [],
  extendedProperties: {},
  joinUrl: null,
};

/** Tells whether an event has attachments. Pictures within its body do not count. */
const hasAttachments = ({ attachments = [] }: EventFields): boolean => attachments.some(({ isInline }) => !isInline);

/** Renders an event with every property that a plain GET shows. */
export function eventView(viewer: Viewer, item: Item): EventView {
  const { prefer, seesPrivate } = viewer;
  const { event, occurrence } = item;
  const own = fieldsOf(item);
  const fields = !seesPrivate && own.sensitivity === 'private' ? { ...own, ...HIDDEN } : own;
  const id = idOf(item, prefer.immutableIds);
  return {
    '@odata.etag': etagOf(item),
    id,
    createdDateTime: formatGraphInstant(event.createdAt),
    lastModifiedDateTime: formatGraphInstant(occurrence?.exception?.modifiedAt ?? event.modifiedAt),
    changeKey: changeKeyOf(item),
    categories: [...fields.categories],
    transactionId: event.transactionId,
    originalStartTimeZone: event.originalStartTimeZone,
    originalEndTimeZone: event.originalEndTimeZone,
    iCalUId: iCalUIdOf(event.uid, occurrence?.date ?? null),
    reminderMinutesBeforeStart: fields.reminderMinutesBeforeStart,
    isReminderOn: fields.isReminderOn,
    hasAttachments: hasAttachments(fields),
    subject: fields.subject,
    bodyPreview: (fields.body.contentType === 'text' ? fields.body.content : plainText(fields.body.content)).slice(
      0,
      255,
    ),
    importance: fields.importance,
    sensitivity: fields.sensitivity,
    isAllDay: fields.isAllDay,
    isCancelled: fields.isCancelled,
    isOrganizer: event.isOrganizer,
    responseRequested: fields.responseRequested,
    showAs: fields.showAs,
    type: typeOf(item),
    webLink: `https://outlook.office365.com/owa/?itemid=${encodeURIComponent(id)}&exvsurl=1&path=/calendar/item`,
    allowNewTimeProposals: fields.allowNewTimeProposals,
    isDraft: false,
    hideAttendees: fields.hideAttendees,
    ...onlineView(fields),
    responseStatus: statusView(fields.responseStatus),
    body: bodyView(viewer, fields.body),
    start: timeView(fields.start, fields.isAllDay, prefer),
    end: timeView(fields.end, fields.isAllDay, prefer),
    ...locationViews(fields),
    ...(occurrence ? { recurrence: null } : recurrenceView(event)),
    attendees: fields.attendees.map(({ emailAddress, type, status, proposedNewTime }) => ({
      ...recipient(emailAddress),
      type,
      status: statusView(status),
      ...(proposedNewTime === undefined ? {} : { proposedNewTime: timeSlotView(proposedNewTime, prefer) }),
    })),
    organizer: recipient(event.organizer),
    ...slotView(item, prefer),
  };
}

/** Returns the view that filters test: it has the extended properties, which answers show only on request. */
export function filterable(item: Item, view: EventView): EventView {
  return { ...view, singleValueExtendedProperties: Object.values(fieldsOf(item).extendedProperties) };
}

/** Renders the stub of an occurrence in delta answers. */
export function occurrenceStub(item: Item, prefer: Preferences): JsonRecord {
  const fields = fieldsOf(item);
  return {
    '@odata.type': '#microsoft.graph.event',
    '@odata.etag': etagOf(item),
    seriesMasterId: itemId({ key: item.event.key, slot: null }, prefer.immutableIds),
    type: typeOf(item),
    start: timeView(fields.start, fields.isAllDay, prefer),
    end: timeView(fields.end, fields.isAllDay, prefer),
    id: idOf(item, prefer.immutableIds),
  };
}

/** Tells whether an item falls into a share, the same way each time. */
export const fallsInto = (item: Item, share: number, salt: string): boolean =>
  shareOf(`${salt} ${idOf(item, false)}`) < share;
