import { recordMails, type SentMail } from '../../kernel/sent-mail.ts';
import type { Attendee } from '../api/wire.ts';
import type { GoogleContext } from '../google-context.ts';
import { findMailbox, sameAddress } from '../google-context.ts';
import type { EventFields, StoredEvent } from '../google-state.ts';

type Guests = readonly Attendee[] | undefined;

/** A write that may send mail. */
export interface MailingWrite {
  /** Calendar that is written to. */
  readonly calendar: { readonly id: string };
  /** `sendUpdates` of the request; Google sends nothing without it. */
  readonly sendUpdates: string | null;
}

/**
 * Records the mails about a write to an event: invitations to new guests, cancellations to removed ones, updates to the others.
 * A guest's write is an answer to the organizer. Every change is mailed when `sendUpdates` asks for it, a colour too; none of a
 * private copy is.
 */
export function mailGuests(
  context: GoogleContext,
  write: MailingWrite,
  event: Pick<StoredEvent, 'organizerEmail' | 'fields'>,
  before: Guests,
  after: Guests,
): void {
  if (event.fields.privateCopy === true) return;
  const from = write.calendar.id;
  const subject = event.fields.summary ?? '';
  const mail = (kind: SentMail['kind'], to: string): SentMail => ({ kind, from, to, subject });
  if (!sameAddress(event.organizerEmail, from)) {
    send(context, write, [mail('answer', event.organizerEmail)]);
    return;
  }
  const stays = (guest: Attendee, others: Guests) =>
    others?.some(({ email }) => sameAddress(email, guest.email)) ?? false;
  send(context, write, [
    ...(after ?? []).map((guest) => mail(stays(guest, before) ? 'update' : 'invitation', guest.email)),
    ...(before ?? []).filter((guest) => !stays(guest, after)).map((guest) => mail('cancellation', guest.email)),
  ]);
}

/** Returns the guests of an event; none once it is cancelled. */
export function guestsOf({ cancelled, fields }: { readonly cancelled: boolean; readonly fields: EventFields }): Guests {
  return cancelled ? [] : fields.attendees;
}

function send(context: GoogleContext, { calendar, sendUpdates }: MailingWrite, mails: readonly SentMail[]): void {
  if (sendUpdates !== 'all' && sendUpdates !== 'externalOnly') return;
  const isMailed = ({ to }: SentMail) =>
    !sameAddress(to, calendar.id) && (sendUpdates === 'all' || findMailbox(context, to) === undefined);
  recordMails(context.state.mails, mails.filter(isMailed));
}
