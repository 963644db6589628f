import { type EventContent, type ItemVersion, type ItemWrite, type ProviderEvent, shownAs } from '../ports/index.ts';
import { occurrenceId, recurrenceIdMs } from '../recurrence/index.ts';
import { DAY_MS, instantOfText, resolveZone, wallOfText } from '../zones/index.ts';
import { busyText } from './busy-form.ts';
import { contentHash } from './content-hash.ts';
import { compileMaster, seriesBounds } from './master-series.ts';
import { storedForm } from './shown-event.ts';

/** An event as the mirror stores it: without its tag, which has its own column, and without what counts in fresh answers alone. */
export type StoredEvent = Omit<ProviderEvent, 'providerTag' | 'unreadableParts' | 'uncopyable' | 'untold'>;

/** Fields that are updated in place without a new version: no response depends on them. */
type PrivatePart = Pick<StoredEvent, 'isKeptLocally' | 'providerData'>;

/** Slack for all-day events, whose instants depend on the zone: no zone is further than this from UTC. */
const ZONE_SLACK_MS = 15 * 3_600_000;

/** Returns the event of a version. The content is trusted: only `eventWrite` creates it. */
export function storedEvent(version: ItemVersion): StoredEvent {
  const { shown: _, ...kept } = version.content as StoredEvent & { readonly shown?: string };
  const event = { ...kept, ...(version.privateContent as PrivatePart | null) };
  return event.content === null ? event : { ...event, content: complete(event.content) };
}

/** Fields that earlier mappings did not know. */
type LaterField = 'status' | 'showAs' | 'categories' | 'guestsCanSeeOtherGuests' | 'hasAttachments';

/** Content that an earlier mapping stored lacks the fields that it did not know. */
function complete(content: EventContent): EventContent {
  if ('hasAttachments' in content) return content;
  const older: Omit<EventContent, LaterField> & Partial<Pick<EventContent, LaterField>> = content;
  const { status = 'confirmed' } = older;
  return {
    status,
    showAs: shownAs({ ...older, status }),
    categories: [],
    guestsCanSeeOtherGuests: true,
    hasAttachments: false,
    ...older,
    attendees: older.attendees.map((attendee) => ({ ...attendee, kind: attendee.kind ?? 'required' })),
  };
}

/**
 * Returns whether the event is a local-only record, which the provider no longer lists: Exchange removes an event that its
 * owner declines, and the declined event must stay visible.
 */
export function isLocalOnly({ isKeptLocally }: StoredEvent): boolean {
  return isKeptLocally === true;
}

/** Returns whether the event is a series master. */
export function isSeries({ content }: Pick<ProviderEvent, 'content'>): boolean {
  return content !== null && content.recurrence !== null;
}

/** Returns the event of a version as the provider port has it. */
export function providerEvent(version: ItemVersion): ProviderEvent {
  return { ...storedEvent(version), providerTag: version.providerTag };
}

/** Returns the public id of an event: the provider's, or the occurrence id for a slot of a series. */
export function itemIdOf(event: Pick<ProviderEvent, 'providerEventId' | 'seriesId' | 'recurrenceId'>): string {
  if (event.seriesId === null || event.recurrenceId === null) return event.providerEventId;
  return occurrenceId(event.seriesId, event.recurrenceId);
}

/** Returns the group of an event: its series, or the event itself. */
export function groupIdOf(event: Pick<ProviderEvent, 'providerEventId' | 'seriesId'>): string {
  return event.seriesId ?? event.providerEventId;
}

/** Creates the write that mirrors an event. */
export function eventWrite(event: ProviderEvent, mappingVersion: number): ItemWrite {
  const {
    providerTag,
    isKeptLocally,
    providerData,
    unreadableParts: _,
    uncopyable: __,
    untold: ___,
    ...stored
  } = event;
  const hasPrivate = isKeptLocally === true || providerData !== undefined;
  return {
    itemId: itemIdOf(event),
    groupId: groupIdOf(event),
    content: storedForm(stored),
    privateContent: hasPrivate ? { isKeptLocally, providerData } : null,
    etag: eventHash(stored),
    providerTag,
    mappingVersion,
    ...rangeOf(stored),
    busy: busyText(stored),
  };
}

/** Creates the write that deletes an item. */
export function deletion(itemId: string, groupId: string, mappingVersion: number): ItemWrite {
  return {
    itemId,
    groupId,
    content: null,
    etag: '',
    providerTag: null,
    mappingVersion,
    rangeStart: null,
    rangeEnd: null,
  };
}

/** Hashes the visible content without updatedAt, which providers also raise for invisible changes. */
function eventHash({ content, ...rest }: Omit<StoredEvent, keyof PrivatePart>): string {
  if (content === null) return contentHash(rest);
  const { updatedAt: _, ...shown } = content;
  return contentHash({ ...rest, content: shown });
}

/** Returns the range of instants that the event can touch. */
function rangeOf(event: StoredEvent): Pick<ItemWrite, 'rangeStart' | 'rangeEnd'> {
  if (event.content === null) {
    const at = event.recurrenceId === null ? 0 : recurrenceIdMs(event.recurrenceId);
    // A stub has the duration of its master, but only its start decides which windows contain it.
    return { rangeStart: at - DAY_MS, rangeEnd: at + DAY_MS };
  }
  return event.content.recurrence === null ? singleRange(event.content) : masterRange(event.content);
}

function singleRange(content: EventContent): Pick<ItemWrite, 'rangeStart' | 'rangeEnd'> {
  if (content.isAllDay) {
    const start = wallOfText(content.start.dateTime);
    const end = wallOfText(content.end.dateTime);
    return { rangeStart: start - ZONE_SLACK_MS, rangeEnd: Math.max(start, end) + ZONE_SLACK_MS };
  }
  const start = instantOfText(content.start.dateTime, zoneOr(content.start.timeZone));
  const end = instantOfText(content.end.dateTime, zoneOr(content.end.timeZone));
  return { rangeStart: start, rangeEnd: Math.max(start, end) };
}

function masterRange(content: EventContent): Pick<ItemWrite, 'rangeStart' | 'rangeEnd'> {
  const master = compileMaster(content);
  const { first, last } = seriesBounds(master);
  const longest = Math.max(master.durationMs, ...master.periods.map(({ durationMs }) => durationMs));
  const rangeEnd = last === null ? null : last + longest + ZONE_SLACK_MS;
  return { rangeStart: first - ZONE_SLACK_MS, rangeEnd };
}

function zoneOr(name: string): string {
  return resolveZone(name) ?? 'UTC';
}
