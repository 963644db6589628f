import type { CalendarEvent } from '../../model/index.ts';
import {
  type Availability,
  type EventContent,
  LONGEST_MIRRORED_TEXT,
  mirroredDescription,
  mirroredText,
  type RecurrenceId,
  requireExpressible,
  shownAs,
} from '../../ports/index.ts';
import type { IcsZones } from '../../zones/index.ts';
import { type IcsComponent, propertyOf, textOf, wordOf } from '../text/component.ts';
import { X_BUSY_STATUS, X_EVENT_TYPE } from '../x-names.ts';
import { versionOf } from './latest-version.ts';
import { readDetails } from './read-details.ts';
import { attendeeFaults, type OwnAddresses, readPeople } from './read-people.ts';
import { readReminders } from './read-reminders.ts';
import { type ComponentStart, readSlot, readTimes } from './read-times.ts';
import { uidOf } from './uid-of.ts';

/** An event of a text: a single event, a series master, or what a series says of one slot. */
export interface IcsEvent {
  readonly uid: string;
  /** Slot of an exception; null for a single event or a master. */
  readonly recurrenceId: RecurrenceId | null;
  /** STATUS:CANCELLED; of a slot also one that our own EXDATE takes out. */
  readonly isCancelled: boolean;
  /** Null for a cancelled slot. */
  readonly content: EventContent | null;
  /** SEQUENCE: of two versions the one with the higher counts; 0 without one. */
  readonly sequence: number;
  /** Whether the account may change it: the organizer is the account or the calendar's owner, or there is none. */
  readonly isOrganizer: boolean;
  /** Field and rule of each part that was left out. */
  readonly unreadableParts: readonly string[];
}

/** Context of a reading beside the text. */
export interface ReadOptions {
  /** Zone of floating times and unknown zone names. @default X-WR-TIMEZONE, the first VTIMEZONE with a known zone, or UTC */
  readonly calendarZone?: string;
  /** The account's own addresses, in any case: e-mail addresses, and other URIs. @default none */
  readonly self?: readonly string[];
  /** E-mail address of the calendar's owner, in any case, for whom the account writes: it may change what the owner organizes. @default none */
  readonly owner?: string | undefined;
  /**
   * Whether an event was created and changed at no time that its DTSTAMP tells, which many publishers write anew at every request. Of two
   * versions of one event it still tells the later. @default false
   */
  readonly ignoresStamps?: boolean;
}

/** Context of the components of one calendar. */
export interface EventContext extends OwnAddresses {
  readonly zones: IcsZones;
  /** As in the options. */
  readonly ignoresStamps: boolean;
}

/**
 * Maps a component without its recurrence.
 * @throws ProviderError unreadable, naming the property
 */
export function readEventContent(component: IcsComponent, context: EventContext): EventContent {
  const { zones, ignoresStamps } = context;
  const times = readTimes(component, zones);
  const startMs = requireExpressible('DTSTART', instantOfTime(times.start.dateTime));
  const endMs = requireExpressible('DTEND', instantOfTime(times.end.dateTime));
  const { isOrganizer: _, ...people } = readPeople(component, context);
  const stamp = ignoresStamps ? undefined : timestamp(component, 'dtstamp');
  const createdAt = timestamp(component, 'created') ?? stamp;
  const updatedAt = timestamp(component, 'last-modified') ?? stamp ?? createdAt;
  const availability = readAvailability(component);
  return {
    title: mirroredText(textOf(component, 'summary')),
    description: mirroredDescription(textOf(component, 'description')),
    createdAt: createdAt ?? updatedAt ?? EPOCH,
    updatedAt: updatedAt ?? EPOCH,
    ...times,
    recurrence: null,
    ...readDetails(component),
    ...people,
    visibility: readVisibility(component),
    location: mirroredText(textOf(component, 'location')),
    webLink: readWebLink(component),
    iCalUid: uidOf(component),
    ...availability,
    showAs: readShowAs(component, availability),
    reminders: readReminders(component, { startMs, endMs }),
  };
}

const EPOCH = new Date(0).toISOString();

function instantOfTime(dateTime: string): number {
  return Date.parse(dateTime.length === 19 ? `${dateTime}Z` : dateTime);
}

function timestamp(component: IcsComponent, name: string): string | undefined {
  const property = propertyOf(component, name);
  const match = /^(\d{8}T\d{6})/.exec(property?.raw.toUpperCase() ?? '');
  const time = match === null ? undefined : readUtc(match[1] ?? '');
  return time === undefined ? undefined : new Date(time).toISOString();
}

function readUtc(basic: string): number | undefined {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)$/.exec(basic) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) || year === '0000' ? undefined : at;
}

/** CLASS; any name that is not known means private (RFC 5545 §3.8.1.3). */
function readVisibility(component: IcsComponent): CalendarEvent['visibility'] {
  const word = wordOf(component, 'class');
  if (word === '') return 'default';
  if (word === 'PUBLIC') return 'public';
  return word === 'CONFIDENTIAL' ? 'confidential' : 'private';
}

function readAvailability(component: IcsComponent): Availability {
  const busy = wordOf(component, X_BUSY_STATUS.toLowerCase());
  const transp = wordOf(component, 'transp');
  const status = wordOf(component, 'status');
  const type = propertyOf(component, X_EVENT_TYPE.toLowerCase())?.raw;
  const isTentative = status === 'TENTATIVE' || (status === '' && busy === 'TENTATIVE');
  return {
    transparency: transp === 'TRANSPARENT' || (transp === '' && busy === 'FREE') ? 'transparent' : 'opaque',
    status: isTentative ? 'tentative' : 'confirmed',
    eventType:
      type === 'focusTime' ? 'focusTime' : type === 'outOfOffice' || busy === 'OOF' ? 'outOfOffice' : 'default',
  };
}

function readShowAs(component: IcsComponent, availability: Availability): CalendarEvent['showAs'] {
  const shown = shownAs(availability);
  const isElsewhere = wordOf(component, X_BUSY_STATUS.toLowerCase()) === 'WORKINGELSEWHERE';
  return isElsewhere && shown === 'busy' ? 'workingElsewhere' : shown;
}

function readWebLink(component: IcsComponent): string {
  const url = propertyOf(component, 'url')?.raw ?? '';
  // Its beginning would be another link.
  return url.length <= LONGEST_MIRRORED_TEXT && /^https?:\/\//i.test(url) ? url : '';
}

/**
 * Maps what a series says of one slot.
 * @throws ProviderError unreadable
 */
export function readException(component: IcsComponent, series: ComponentStart, context: EventContext): IcsEvent {
  const recurrenceId = readSlot(component, series, context.zones);
  const isCancelled = wordOf(component, 'status') === 'CANCELLED';
  return {
    uid: uidOf(component),
    recurrenceId,
    isCancelled,
    content: isCancelled ? null : readEventContent(component, context),
    sequence: versionOf(component).sequence,
    isOrganizer: readPeople(component, context).isOrganizer,
    unreadableParts: attendeeFaults(component),
  };
}
