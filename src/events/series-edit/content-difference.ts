import { canonicalJson } from '../../mirror/index.ts';
import type { EventContent, EventPatch, Untold } from '../../ports/index.ts';
import { instantsOf } from '../read/group-records.ts';
import { LINK_KEYS } from './series-link.ts';

/** Fields that every event has. */
const PLAIN = [
  'title',
  'description',
  'location',
  'visibility',
  'transparency',
  'eventType',
  'reminders',
  'status',
  'categories',
  'guestsCanSeeOtherGuests',
] as const;
/** Fields that an event may lack. */
const OPTIONAL = [
  'colorId',
  'customColor',
  'generateMeetingUrlProvider',
  'locationDetails',
  'guestsCanModify',
  'guestsCanInviteOthers',
  'allowNewTimeProposals',
] as const;
const PROPERTIES = ['publicExtendedProperties', 'privateExtendedProperties'] as const;

type Properties = Readonly<Record<string, string>>;
type Attendees = EventContent['attendees'];

/**
 * Returns the patch that turns the content of one event into that of another; without times, recurrence and
 * answers that are the account's own. Answers of guests count only `withAnswers`.
 */
export function contentDifference(
  own: EventContent,
  base: EventContent,
  { withAnswers }: { readonly withAnswers: boolean },
): EventPatch {
  const patch: Record<string, unknown> = {};
  for (const field of PLAIN) if (!isEqual(own[field], base[field])) patch[field] = own[field];
  for (const field of OPTIONAL) if (!isEqual(own[field], base[field])) patch[field] = own[field] ?? null;
  // The other states follow from transparency, status and type.
  const isElsewhere = own.showAs === 'workingElsewhere' || base.showAs === 'workingElsewhere';
  if (isElsewhere && own.showAs !== base.showAs) patch['showAs'] = own.showAs;
  for (const field of PROPERTIES) {
    const difference = propertyDifference(own[field], base[field]);
    if (Object.keys(difference).length > 0) patch[field] = difference;
  }
  if (!isSameGuests(own.attendees, base.attendees, withAnswers)) {
    patch['attendees'] = attendeeInput(own.attendees, withAnswers);
  }
  const [link, baseLink] = [own, base].map(linkByHand);
  if (own.generateMeetingUrlProvider === undefined && !isEqual(link, baseLink)) patch['conferenceData'] = link ?? null;
  return patch;
}

/** Returns the conference that no provider generated: it is part of the content. */
function linkByHand({ conferenceData, generateMeetingUrlProvider }: EventContent): EventContent['conferenceData'] {
  return generateMeetingUrlProvider === undefined ? conferenceData : undefined;
}

/** Returns what one event has beside its fields other than another one, null for what it has not; undefined without a difference. */
export function untoldDifference(own: Untold = {}, base: Untold = {}): Untold | undefined {
  const names = Object.keys({ ...base, ...own }).filter((name) => !isEqual(own[name], base[name]));
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, own[name] ?? null]));
}

/** Attendees as a write takes them. */
export function attendeeInput(attendees: Attendees, withAnswers: boolean): NonNullable<EventPatch['attendees']> {
  return attendees.map(({ email, name, responseStatus, kind }) => ({
    email,
    ...(name === '' ? {} : { name }),
    ...(withAnswers ? { responseStatus } : {}),
    kind,
  }));
}

/** Whether two events happen at the same time; all-day ones are compared by their dates. */
export function isSameTime(left: EventContent, right: EventContent): boolean {
  if (left.isAllDay !== right.isAllDay) return false;
  const [a, b] = [instantsOf(left, 'UTC'), instantsOf(right, 'UTC')];
  return a.startMs === b.startMs && a.endMs === b.endMs;
}

function propertyDifference(own: Properties, base: Properties): Readonly<Record<string, string | null>> {
  const keys = new Set([...Object.keys(own), ...Object.keys(base)]);
  const entries = [...keys].filter((key) => !LINK_KEYS.has(key) && own[key] !== base[key]);
  return Object.fromEntries(entries.map((key) => [key, own[key] ?? null]));
}

function isSameGuests(left: Attendees, right: Attendees, withAnswers: boolean): boolean {
  const shown = (attendees: Attendees) =>
    attendees
      .map(({ email, kind, responseStatus }) => [email.toLowerCase(), kind, withAnswers ? responseStatus : ''])
      .sort();
  return isEqual(shown(left), shown(right));
}

function isEqual(left: unknown, right: unknown): boolean {
  return canonicalJson(left ?? null) === canonicalJson(right ?? null);
}
