import type { CalendarEvent, ResponseStatus } from '../../model/index.ts';
import type { EventPatch } from '../../ports/index.ts';
import { addressed, kindOf, PARTSTATS } from '../read/read-people.ts';
import { type IcsComponent, propertiesOf, propertyOf, withProperties, withProperty } from '../text/component.ts';
import { type IcsProperty, withParameter, writeContentLine } from '../text/content-line.ts';

type AttendeeInput = NonNullable<EventPatch['attendees']>[number];

/** How attendees are written. */
export interface PeopleContext {
  /** Address that organizes an event without an organizer; empty when unknown. */
  readonly organizer: string;
  /** The account's own addresses, in lower case. */
  readonly self: readonly string[];
  /** Whether responses of guests who are there already are written too. */
  readonly keepsAnswers: boolean;
}

/**
 * Writes the whole list of attendees: those who stay keep their lines but for what is said of them, and attendees without an e-mail address
 * stay. Only a new one's response is written, or the account's own, or with `keepsAnswers` every one's.
 */
export function writeAttendees(
  component: IcsComponent,
  wanted: readonly AttendeeInput[],
  context: PeopleContext,
): IcsComponent {
  const present = addressed(propertiesOf(component, 'attendee'), context.self);
  const byAddress = new Map(present.map(([property, email]) => [email, property]));
  const kept = present.flatMap(([property, email]) => (email === '' ? [property] : []));
  const written = wanted.map((input) => {
    const property = byAddress.get(input.email.toLowerCase());
    return property === undefined ? newAttendee(input) : changedAttendee(property, input, context);
  });
  const withList = withProperties(component, 'attendee', [...kept, ...written]);
  const needsOrganizer =
    written.length > 0 && propertyOf(withList, 'organizer') === undefined && context.organizer !== '';
  if (!needsOrganizer) return withList;
  return withProperty(withList, 'organizer', writeContentLine('ORGANIZER', `mailto:${context.organizer}`));
}

function newAttendee({ email, name, responseStatus = 'needsAction', kind = 'required' }: AttendeeInput): IcsProperty {
  return writeContentLine('ATTENDEE', `mailto:${email}`, {
    CN: name == null || name === '' ? undefined : name,
    CUTYPE: kind === 'resource' ? 'RESOURCE' : undefined,
    ROLE: kind === 'optional' ? 'OPT-PARTICIPANT' : undefined,
    PARTSTAT: PARTSTATS[responseStatus],
    RSVP: responseStatus === 'needsAction' ? 'TRUE' : undefined,
  });
}

function changedAttendee(
  property: IcsProperty,
  { email, name, responseStatus, kind }: AttendeeInput,
  { self, keepsAnswers }: PeopleContext,
): IcsProperty {
  let changed = property;
  if (name !== undefined && (name ?? '') !== (property.parameters['cn'] ?? '')) {
    changed = withParameter(changed, 'CN', name === null || name === '' ? undefined : name);
  }
  if (kind !== undefined && kind !== kindOf(property)) {
    changed = withParameter(changed, 'CUTYPE', kind === 'resource' ? 'RESOURCE' : undefined);
    changed = withParameter(changed, 'ROLE', kind === 'optional' ? 'OPT-PARTICIPANT' : undefined);
  }
  const mayAnswer = keepsAnswers || self.includes(email.toLowerCase());
  return responseStatus === undefined || !mayAnswer ? changed : withResponse(changed, responseStatus);
}

/** Returns an attendee with another response; the same line when it has it already. */
export function withResponse(property: IcsProperty, response: ResponseStatus): IcsProperty {
  const present = (property.parameters['partstat'] ?? 'NEEDS-ACTION').toUpperCase();
  return present === PARTSTATS[response] ? property : withParameter(property, 'PARTSTAT', PARTSTATS[response]);
}

/** Writes the people of an event as they are, for a printed one. The account alone needs no organizer's line. */
export function writePeople(
  component: IcsComponent,
  { organizer, attendees }: Pick<CalendarEvent, 'organizer' | 'attendees'>,
): IcsComponent {
  const email = organizer?.email ?? '';
  const isNamed = email !== '' && (attendees.length > 0 || organizer?.isSelf === false);
  const name = organizer?.name ?? '';
  const line = writeContentLine('ORGANIZER', `mailto:${email}`, { CN: name === '' ? undefined : name });
  const lines = attendees
    .filter((attendee) => attendee.email !== '')
    .map((attendee) => {
      const property = newAttendee(attendee);
      return attendee.comment ? withParameter(property, 'X-RESPONSE-COMMENT', attendee.comment) : property;
    });
  return withProperties(isNamed ? withProperty(component, 'organizer', line) : component, 'attendee', lines);
}
