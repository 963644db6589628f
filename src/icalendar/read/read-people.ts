import type { CalendarEvent, EventAttendee, ResponseStatus } from '../../model/index.ts';
import { mirroredText } from '../../ports/index.ts';
import { type IcsComponent, propertiesOf, propertyOf } from '../text/component.ts';
import type { IcsProperty } from '../text/content-line.ts';

const RESPONSES: Readonly<Record<string, ResponseStatus>> = {
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'tentative',
  'NEEDS-ACTION': 'needsAction',
};

/** PARTSTAT of each response. */
export const PARTSTATS: Readonly<Record<ResponseStatus, string>> = {
  accepted: 'ACCEPTED',
  declined: 'DECLINED',
  tentative: 'TENTATIVE',
  needsAction: 'NEEDS-ACTION',
};

/** People of an event, mapped. */
export type PeopleContent = Pick<CalendarEvent, 'attendees' | 'organizer' | 'myResponseStatus'> & {
  /** Whether the account may change the event: it or the calendar's owner is the organizer, or there is none. */
  readonly isOrganizer: boolean;
};

/** Addresses and URIs that the people of an event are held against, in lower case. */
export interface OwnAddresses {
  /** The account's own. */
  readonly self: readonly string[];
  /** That of the calendar's owner, for whom the account writes. */
  readonly owner?: string | undefined;
}

/** Most attendees that are read of one event. */
const MOST_ATTENDEES = 5_000;

/** Returns the rule that an event with too many attendees breaks; nothing for any other. */
export function attendeeFaults(component: IcsComponent): readonly string[] {
  const isCut = propertiesOf(component, 'attendee').length > MOST_ATTENDEES;
  return isCut ? [`ATTENDEE may occur ${MOST_ATTENDEES} times at most`] : [];
}

/** Maps ORGANIZER and ATTENDEE. */
export function readPeople(component: IcsComponent, { self, owner }: OwnAddresses): PeopleContent {
  const organizer = organizerOf(component, self);
  const isOrganizer = organizer === undefined || organizer.isSelf || (owner !== undefined && organizer.email === owner);
  const attendees = propertiesOf(component, 'attendee').slice(0, MOST_ATTENDEES);
  const own = attendees.find((property) => isOf(property, self));
  const myResponseStatus =
    own === undefined ? (organizer?.isSelf === true ? 'accepted' : undefined) : readResponse(own);
  return {
    attendees: addressed(attendees, self).flatMap(readAttendee),
    ...(organizer === undefined ? {} : { organizer }),
    ...(myResponseStatus === undefined ? {} : { myResponseStatus }),
    isOrganizer,
  };
}

function organizerOf(component: IcsComponent, self: readonly string[]): CalendarEvent['organizer'] {
  const property = propertyOf(component, 'organizer');
  if (property === undefined) return undefined;
  const email = addressOf(property);
  const name = property.parameters['cn'];
  return {
    ...(name === undefined || name === '' ? {} : { name: mirroredText(name) }),
    ...(email === '' ? {} : { email }),
    isSelf: isOf(property, self),
  };
}

/** Returns whether ORGANIZER or ATTENDEE is one of these addresses and URIs, which are in lower case. */
export function isOf(property: IcsProperty, self: readonly string[]): boolean {
  return [addressOf(property), decoded(property.raw).trim().toLowerCase()].some(
    (address) => address !== '' && self.includes(address),
  );
}

/** Returns the address of ORGANIZER or ATTENDEE in lower case; empty for one without an e-mail address. */
export function addressOf({ raw, parameters }: IcsProperty): string {
  const candidates = [raw.replace(/^mailto:/i, ''), parameters['email'] ?? ''].map((text) => decoded(text).trim());
  return (candidates.find(isEmail) ?? '').toLowerCase();
}

/** ATTENDEE with its address in lower case; empty for one without. */
export type AddressedAttendee = readonly [property: IcsProperty, email: string];

/** Returns attendees with their addresses. The account's own has that of the account in place of another URI, unless another one has it. */
export function addressed(attendees: readonly IcsProperty[], self: readonly string[]): readonly AddressedAttendee[] {
  const email = self.find(isEmail) ?? '';
  const own = attendees.some((property) => addressOf(property) === email)
    ? undefined
    : attendees.find((property) => isOf(property, self));
  return attendees.map((property) => [property, addressOf(property) || (property === own ? email : '')]);
}

/** A principal's URL may have an @ too, and what is percent-encoded any character. */
function isEmail(text: string): boolean {
  return /^[^\s\p{Cc}@]{1,256}@[^\s\p{Cc}@]{1,256}$/u.test(text) && !text.includes('://');
}

/** `mailto:` is a URI, in which some writers percent-encode. */
function decoded(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text;
  } catch {
    return text;
  }
}

function readAttendee([property, email]: AddressedAttendee): EventAttendee[] {
  if (email === '') return [];
  const comment = property.parameters['x-response-comment'];
  return [
    {
      id: email,
      name: mirroredText(property.parameters['cn'] ?? ''),
      email,
      responseStatus: readResponse(property),
      kind: kindOf(property),
      ...(comment === undefined || comment === '' ? {} : { comment: mirroredText(comment) }),
    },
  ];
}

function readResponse({ parameters }: IcsProperty): ResponseStatus {
  return RESPONSES[(parameters['partstat'] ?? '').toUpperCase()] ?? 'needsAction';
}

/** Returns the kind of an attendee: a room or resource by CUTYPE, an optional one by ROLE. */
export function kindOf({ parameters }: IcsProperty): EventAttendee['kind'] {
  if (/^(?:ROOM|RESOURCE)$/i.test(parameters['cutype'] ?? '')) return 'resource';
  return /^(?:OPT|NON)-PARTICIPANT$/i.test(parameters['role'] ?? '') ? 'optional' : 'required';
}
