import { createHash } from 'node:crypto';
import { ICalendarError, type IcsEvent, type IcsGroup, readCalendars } from 'kalends/icalendar';
import {
  type EventChange,
  ProviderError,
  type ProviderEvent,
  type RecurrenceId,
  type UnreadableObject,
} from 'kalends/ports';
import { recurrenceIdText } from 'kalends/recurrence';

/** A single event, a whole series, or an exception of a series that the feed lacks. */
export interface FeedUnit {
  /** Changes with the unit. */
  readonly hash: string;
  readonly change: EventChange;
}

/** A version of a feed. */
export interface FeedReading {
  /** X-WR-CALNAME or NAME; empty without one. */
  readonly name: string;
  /** IANA name. */
  readonly timeZone: string;
  /** By provider id. */
  readonly units: ReadonlyMap<string, FeedUnit>;
  /** Interval between two requests that the publisher asks for; 0 without one. */
  readonly refreshMs: number;
}

/**
 * Reads a feed. Events that cannot be read are set aside alone.
 * @throws ProviderError malformed for a text that is no calendar
 */
export function readFeed(text: string): FeedReading {
  try {
    // Many publishers write DTSTAMP anew at every request: each poll would change every event.
    const calendars = readCalendars(text.replace(/^DTSTAMP[;:].*(?:\r?\n|$)/gim, ''));
    const units = calendars.flatMap(({ groups }) => groups.flatMap(unitsOf));
    return {
      name: calendars.find(({ name }) => name !== '')?.name ?? '',
      timeZone: calendars[0]?.timeZone ?? 'UTC',
      units: new Map(units),
      refreshMs: refreshOf(text),
    };
  } catch (error) {
    if (error instanceof ICalendarError) throw new ProviderError('malformed', error.message, { cause: error });
    throw error;
  }
}

/** Returns the id of all that has a UID: UIDs may be of any length and character. */
export function idOfUid(uid: string): string {
  return digest(uid, 22);
}

const digest = (text: string, length: number) => createHash('sha256').update(text).digest('base64url').slice(0, length);

type Identified = readonly [id: string, unit: FeedUnit];

function unitsOf({ uid, master, exceptions, unreadable }: IcsGroup): readonly Identified[] {
  const id = idOfUid(uid);
  const broken: readonly UnreadableObject[] = unreadable.map(({ isMaster, recurrenceId, reason }) => ({
    kind: 'unreadable',
    providerEventId: isMaster ? id : recurrenceId === null ? '' : idOfSlot(id, recurrenceId),
    seriesId: isMaster ? null : id,
    reason,
  }));
  if (master === undefined) {
    const [series] = broken.filter(({ seriesId }) => seriesId === null);
    if (series !== undefined) return [identified(id, series)];
    const readable = exceptions.map((event) => {
      const exception = exceptionOf(id, event);
      return identified(exception.providerEventId, { kind: 'event', event: exception });
    });
    // Before the others: of two versions of one slot the readable one counts.
    return [...broken.map((each) => identified(each.providerEventId || `${id}_`, each)), ...readable];
  }
  const event = eventOf(id, master);
  if (master.content?.recurrence == null) return [identified(id, { kind: 'event', event })];
  const members = exceptions.map((each) => exceptionOf(id, each));
  return [identified(id, { kind: 'series', master: event, exceptions: members, unreadable: broken })];
}

function identified(id: string, change: EventChange): Identified {
  return [id, { hash: digest(JSON.stringify(change), 12), change }];
}

function eventOf(
  providerEventId: string,
  { isCancelled, content, unreadableParts }: IcsEvent,
  slot: Pick<ProviderEvent, 'seriesId' | 'recurrenceId'> = { seriesId: null, recurrenceId: null },
): ProviderEvent {
  return {
    providerEventId,
    providerTag: digest(JSON.stringify([isCancelled, content]), 12),
    ...slot,
    isCancelled,
    content,
    isOrganizer: false,
    ...(unreadableParts.length === 0 ? {} : { unreadableParts }),
  };
}

function exceptionOf(seriesId: string, event: IcsEvent): ProviderEvent {
  const { recurrenceId } = event;
  return eventOf(idOfSlot(seriesId, recurrenceId), event, { seriesId, recurrenceId });
}

function idOfSlot(seriesId: string, recurrenceId: RecurrenceId | null): string {
  return `${seriesId}_${recurrenceId === null ? '' : recurrenceIdText(recurrenceId)}`;
}

const UNIT_MS = { W: 604_800_000, D: 86_400_000, H: 3_600_000, M: 60_000, S: 1_000 } as const;

/** Reads REFRESH-INTERVAL (RFC 7986 §5.7) or the older X-PUBLISHED-TTL. */
function refreshOf(text: string): number {
  const written = /^(?:REFRESH-INTERVAL|X-PUBLISHED-TTL)[^:\r\n]{0,40}:P(\w{1,20})\s*$/im.exec(text)?.[1] ?? '';
  let total = 0;
  for (const [, count, unit] of written.toUpperCase().matchAll(/(\d{1,6})([WDHMS])/g)) {
    total += Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  }
  return total;
}
