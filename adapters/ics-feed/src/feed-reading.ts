import { createHash } from 'node:crypto';
import {
  ICalendarError,
  type IcsEvent,
  type IcsGroup,
  mergedGroups,
  readCalendarsInSteps,
  type Steps,
} from 'kalends/icalendar';
import {
  type EventChange,
  ProviderError,
  type ProviderEvent,
  type RecurrenceId,
  type UnreadableObject,
} from 'kalends/ports';
import { recurrenceIdText } from 'kalends/recurrence';
import { runInTurns } from 'kalends/runtime';

/** A single event, a whole series, or an exception of a series that the feed lacks. */
export interface FeedUnit {
  /** Changes with the unit. */
  readonly hash: string;
  readonly change: EventChange;
  /** Whether all of it could be read. */
  readonly isWhole: boolean;
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
 * Reads a feed, in turns of the event loop. Events that cannot be read are set aside alone.
 * @throws ProviderError malformed for a text that is no calendar
 */
export async function readFeed(text: string): Promise<FeedReading> {
  try {
    // With DTSTAMP each poll would change every event.
    const calendars = await runInTurns(readCalendarsInSteps(text, { ignoresStamps: true }));
    const groups = mergedGroups(calendars.flatMap((calendar) => calendar.groups));
    return {
      name: calendars.find(({ name }) => name !== '')?.name ?? '',
      timeZone: calendars[0]?.timeZone ?? 'UTC',
      units: new Map(await runInTurns(unitsOf(groups))),
      refreshMs: calendars.find(({ refreshMs }) => refreshMs > 0)?.refreshMs ?? 0,
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

function* unitsOf(groups: readonly IcsGroup[]): Steps<Identified[]> {
  const units: Identified[] = [];
  for (const group of groups) units.push(...(yield* unitsOfGroup(group)));
  return units;
}

function* unitsOfGroup({ uid, master, exceptions, unreadable }: IcsGroup): Steps<readonly Identified[]> {
  const id = idOfUid(uid);
  const broken: readonly UnreadableObject[] = unreadable.map(({ isMaster, recurrenceId, reason }) => ({
    kind: 'unreadable',
    providerEventId: isMaster ? id : recurrenceId === null ? '' : idOfSlot(id, recurrenceId),
    seriesId: isMaster ? null : id,
    reason,
  }));
  const members: ProviderEvent[] = [];
  for (const exception of exceptions) {
    members.push(exceptionOf(id, exception));
    yield;
  }
  if (master === undefined) {
    const [series] = broken.filter(({ seriesId }) => seriesId === null);
    if (series !== undefined) return [identified(id, series, [])];
    const readable = members.map((event) => identified(event.providerEventId, { kind: 'event', event }, [event]));
    // Before the others: of two versions of one slot the readable one counts.
    return [...broken.map((each) => identified(each.providerEventId || `${id}_`, each, [])), ...readable];
  }
  const event = eventOf(id, master);
  yield;
  if (master.content?.recurrence == null) {
    // Another calendar of the file has the slots of what is no series here.
    const slots = members.map((member) =>
      identified(member.providerEventId, { kind: 'event', event: member }, [member]),
    );
    return [identified(id, { kind: 'event', event }, [event]), ...slots];
  }
  const change: EventChange = { kind: 'series', master: event, exceptions: members, unreadable: broken };
  return [identified(id, change, [event, ...members])];
}

/** The tags of events stand for their contents: a series may have thousands of exceptions. */
function identified(id: string, change: EventChange, events: readonly ProviderEvent[]): Identified {
  const tags = events.map(({ providerEventId, providerTag, unreadableParts }) => [
    providerEventId,
    providerTag,
    unreadableParts,
  ]);
  const { kind } = change;
  const broken = kind === 'series' ? change.unreadable : kind === 'unreadable' ? [change] : undefined;
  const isWhole = (broken ?? []).length === 0 && events.every(({ unreadableParts }) => unreadableParts === undefined);
  return [id, { hash: digest(JSON.stringify([kind, tags, broken]), 12), change, isWhole }];
}

/** Returns the events of a unit: of a series, its master first. */
export function eventsOf(change: EventChange): readonly ProviderEvent[] {
  if (change.kind === 'event') return [change.event];
  return change.kind === 'series' ? [change.master, ...change.exceptions] : [];
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
