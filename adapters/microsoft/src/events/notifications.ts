import type { NotifyAttendees } from 'kalends/model';
import { ProviderError } from 'kalends/ports';
import type { WireEvent, WireMaster } from './event-wire.ts';
import type { WrittenEvent } from './event-writing.ts';

/** Properties of the account's own copy: a change of them alone sends no mail. */
const PERSONAL: ReadonlySet<string> = new Set([
  'categories',
  'importance',
  'isReminderOn',
  'reminderMinutesBeforeStart',
  'showAs',
  'singleValueExtendedProperties',
]);

interface MailContext {
  readonly notifyAttendees?: NotifyAttendees | undefined;
  /** The account's own address. */
  readonly ownAddress: string;
}

/**
 * Refuses to withhold mail: Graph mails the attendees of a meeting whenever its organizer changes what they see.
 * @throws ProviderError unsupported, naming `notifyAttendees`
 */
export function checkMail(context: MailContext, before: WireMaster | WireEvent | null, written: WrittenEvent): void {
  const isSeen = Object.keys(written.body).some((name) => !PERSONAL.has(name)) || written.excludedDates?.length;
  if (!isSeen) return;
  requireUsualMail(context, [...addressesOf(before), ...addressesOf(written.body)], before);
  // New times drop the exceptions.
  if (before !== null && 'start' in written.body) checkRemakingMail(context, before);
}

/** Does the same for the exceptions of a series that are made anew, each of which mails its own attendees. */
export function checkRemakingMail(context: MailContext, series: WireMaster): void {
  requireUsualMail(context, (series.exceptionOccurrences ?? []).flatMap(addressesOf), series);
}

/** Does the same for a deletion, which cancels a meeting. */
export function checkDeletionMail(context: MailContext, before: WireEvent): void {
  requireUsualMail(context, addressesOf(before), before);
}

/** @throws ProviderError unsupported: an answer goes to the organizer or to no one */
export function sendsAnswer(notifyAttendees: NotifyAttendees | undefined): boolean {
  if (notifyAttendees === 'external') throw refusal('an answer goes to the organizer alone: send all or none');
  return notifyAttendees !== 'none';
}

function requireUsualMail(
  { notifyAttendees, ownAddress }: MailContext,
  addresses: readonly string[],
  before: WireEvent | null,
): void {
  if (notifyAttendees === undefined || notifyAttendees === 'all' || before?.isOrganizer === false) return;
  const own = ownAddress.toLowerCase();
  if (addresses.every((address) => address.toLowerCase() === own)) return;
  throw refusal('Graph mails every attendee of a meeting that changes, and has no switch for it');
}

function addressesOf(event: { readonly attendees?: unknown } | null): readonly string[] {
  const attendees = (event?.attendees ?? []) as NonNullable<WireEvent['attendees']>;
  return attendees.flatMap(({ emailAddress }) => (emailAddress?.address ? [emailAddress.address] : []));
}

function refusal(rule: string): ProviderError {
  return new ProviderError('unsupported', rule, { field: 'notifyAttendees' });
}
