import { recordMails, type SentMail } from '../../kernel/sent-mail.ts';
import type { EventFields, MicrosoftWorld, StoredAttendee, StoredEvent } from '../state.ts';

/** Properties of each mailbox's own copy: a change of them alone is not mailed. */
const PERSONAL: ReadonlySet<string> = new Set([
  'categories',
  'extendedProperties',
  'importance',
  'isReminderOn',
  'meetingDueAt',
  'reminderMinutesBeforeStart',
  'responseStatus',
  'showAs',
]);

/**
 * Records the mails about the organizer's write: invitations to new attendees, cancellations to removed ones, and updates to the
 * others when they see a change; `isReshaped` says that the rule of a series is one. Graph has no switch for them.
 */
export function mailAttendees(
  world: MicrosoftWorld,
  event: StoredEvent,
  before: EventFields | null,
  after: EventFields | null,
  isReshaped = false,
): void {
  if (!event.isOrganizer) return;
  const [was, is] = [before?.attendees ?? [], after?.attendees ?? []];
  const isSeen = isReshaped || before === null || after === null || seenOf(before) !== seenOf(after);
  const stays = (attendee: StoredAttendee, others: readonly StoredAttendee[]) =>
    others.some((other) => addressOf(other) === addressOf(attendee));
  const mail = (kind: SentMail['kind'], attendee: StoredAttendee): SentMail => ({
    kind,
    from: event.organizer.address.toLowerCase(),
    to: addressOf(attendee),
    subject: (after ?? before)?.subject ?? '',
  });
  const mails = [
    ...is.filter((attendee) => !stays(attendee, was)).map((attendee) => mail('invitation', attendee)),
    ...(isSeen ? is.filter((attendee) => stays(attendee, was)).map((attendee) => mail('update', attendee)) : []),
    ...was.filter((attendee) => !stays(attendee, is)).map((attendee) => mail('cancellation', attendee)),
  ];
  recordMails(
    world.state.mails,
    mails.filter(({ from, to }) => from !== to),
  );
}

/** Records the mail of an answer to the organizer. */
export function mailOrganizer(world: MicrosoftWorld, { organizer, fields }: StoredEvent, from: string): void {
  recordMails(world.state.mails, [
    { kind: 'answer', from, to: organizer.address.toLowerCase(), subject: fields.subject },
  ]);
}

function addressOf({ emailAddress }: StoredAttendee): string {
  return emailAddress.address.toLowerCase();
}

function seenOf(fields: EventFields): string {
  const seen = Object.entries(fields).filter(([name]) => !PERSONAL.has(name));
  return JSON.stringify(Object.fromEntries(seen.sort(([a], [b]) => (a < b ? -1 : 1))));
}
