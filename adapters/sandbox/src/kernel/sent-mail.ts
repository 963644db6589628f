/** A mail that the provider would have sent to one recipient. */
export interface SentMail {
  readonly kind: 'invitation' | 'update' | 'cancellation' | 'answer';
  readonly from: string;
  readonly to: string;
  /** Title of the event. */
  readonly subject: string;
}

/** Mails that are remembered: a long run must not fill the memory. */
const MOST_MAILS = 1_000;

/** Records mails; the oldest ones beyond the limit are forgotten. */
export function recordMails(mails: SentMail[], sent: readonly SentMail[]): void {
  mails.push(...sent);
  mails.splice(0, Math.max(0, mails.length - MOST_MAILS));
}
