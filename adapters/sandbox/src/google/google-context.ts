import type { Kernel } from '../kernel/kernel.ts';
import type { GoogleState, Mailbox } from './google-state.ts';

/** What every part of the Google server works on. */
export interface GoogleContext {
  readonly kernel: Kernel;
  /** Replaced as a whole by a restore, so never keep a reference across requests. */
  state: GoogleState;
  /** Resources changed since the last flush of push notifications (`events:{calendarId}` …). */
  readonly changedResources: Set<string>;
}

/** The bearer of a request. */
export interface Caller {
  readonly mailbox: Mailbox;
  readonly scopes: readonly string[];
}

/** The next global revision; marks the state dirty. */
export function nextRevision(context: GoogleContext): number {
  context.kernel.touched();
  context.state.revision += 1;
  return context.state.revision;
}

/** The next creation ordinal. */
export function nextOrdinal(context: GoogleContext): number {
  context.kernel.touched();
  context.state.ordinal += 1;
  return context.state.ordinal;
}

/** Google's quoted decimal entity tags, one per revision. */
export function etagOf(revision: number): string {
  return `"${3_000_000_000_000_000 + revision * 2}"`;
}

export function isoInstant(at: number): string {
  return new Date(at).toISOString();
}

/** E-mail addresses are compared without case. */
export function sameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The mailbox of an address, in any case. */
export function findMailbox(context: GoogleContext, email: string): Mailbox | undefined {
  return context.state.mailboxes[email.toLowerCase()];
}
