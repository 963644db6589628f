import type { EventContent, ItemVersion, ItemWrite, ProviderEvent } from '../ports/index.ts';
import { DAY_MS, resolveZone } from '../zones/index.ts';
import { contentHash } from './content-hash.ts';
import { instantOfText, wallOfText } from './event-time.ts';
import { compileMaster, seriesBounds } from './master-series.ts';
import { occurrenceId, slotMs } from './occurrence-id.ts';

/** An event as the mirror keeps it: what the provider's mapping gave, without the tag that has a column of its own. */
export type StoredEvent = Omit<ProviderEvent, 'providerTag'>;

/** The part of it that changes in place, without a version: what nobody is shown and no answer depends on. */
type PrivatePart = Pick<StoredEvent, 'isKeptLocally' | 'providerData' | 'attendeeKinds'>;

/** All-day events happen at other instants in other zones: no zone is further than this from UTC. */
const ZONE_SLACK_MS = 15 * 3_600_000;

/** The stored form of an item. Only this module wrote it, so it is trusted. */
export function storedEvent(version: ItemVersion): StoredEvent {
  return { ...(version.content as StoredEvent), ...(version.privateContent as PrivatePart | null) };
}

/**
 * Whether an object is a record that the provider no longer shows: Exchange puts an event that its owner declines away,
 * and the declined event is to stay visible.
 */
export function livesOnlyHere({ isKeptLocally }: StoredEvent): boolean {
  return isKeptLocally === true;
}

/** An item as the provider port speaks of it. */
export function providerEvent(version: ItemVersion): ProviderEvent {
  return { ...storedEvent(version), providerTag: version.providerTag };
}

/** Id under which the interface shows an object: the provider's, or for a slot of a series our occurrence id. */
export function itemIdOf(event: Pick<ProviderEvent, 'providerEventId' | 'seriesId' | 'originalStart'>): string {
  if (event.seriesId === null || event.originalStart === null) return event.providerEventId;
  return occurrenceId(event.seriesId, event.originalStart);
}

/** Group of an object: itself, or its series. */
export function groupIdOf(event: Pick<ProviderEvent, 'providerEventId' | 'seriesId'>): string {
  return event.seriesId ?? event.providerEventId;
}

/** The write that mirrors an object. */
export function eventWrite(event: ProviderEvent, mappingVersion: number): ItemWrite {
  const { providerTag, isKeptLocally, providerData, attendeeKinds, ...stored } = event;
  const hasPrivate = isKeptLocally === true || providerData !== undefined || attendeeKinds !== undefined;
  return {
    itemId: itemIdOf(event),
    groupId: groupIdOf(event),
    content: stored,
    privateContent: hasPrivate ? { isKeptLocally, providerData, attendeeKinds } : null,
    etag: eventHash(stored),
    providerTag,
    mappingVersion,
    ...rangeOf(stored),
  };
}

/** The write that deletes an item. */
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

/** updatedAt moves without a change that anybody sees: it is left out. */
function eventHash({ content, ...rest }: Omit<StoredEvent, keyof PrivatePart>): string {
  if (content === null) return contentHash(rest);
  const { updatedAt: _, ...shown } = content;
  return contentHash({ ...rest, content: shown });
}

/** The instants that an object can touch. */
function rangeOf(event: StoredEvent): Pick<ItemWrite, 'rangeStart' | 'rangeEnd'> {
  if (event.content === null) {
    const at = event.originalStart === null ? 0 : slotMs(event.originalStart);
    // A stub borrows its length from the master; containment asks for its start alone.
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
  const longest = Math.max(master.durationMs, ...master.periods.map(({ durationMs }) => durationMs!));
  const rangeEnd = last === null ? null : last + longest + ZONE_SLACK_MS;
  return { rangeStart: first - ZONE_SLACK_MS, rangeEnd };
}

function zoneOr(name: string): string {
  return resolveZone(name) ?? 'UTC';
}
