import type { Kernel } from '../kernel/kernel.ts';
import type { GoogleState, Mailbox } from './google-state.ts';

/** The state and services that every part of the Google server shares. */
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

/** Returns the next global revision, and marks the state dirty. */
export function nextRevision(context: GoogleContext): number {
  context.kernel.touched();
  context.state.revision += 1;
  return context.state.revision;
}

/** Returns the next creation ordinal, and marks the state dirty. */
export function nextOrdinal(context: GoogleContext): number {
  context.kernel.touched();
  context.state.ordinal += 1;
  return context.state.ordinal;
}

/** Returns the entity tag of a revision, a quoted decimal as Google's. */
export function etagOf(revision: number): string {
  return `"${3_000_000_000_000_000 + revision * 2}"`;
}

export function isoInstant(at: number): string {
  return new Date(at).toISOString();
}

/** Compares e-mail addresses without case. */
export function sameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Returns the mailbox of an address, in any case. */
export function findMailbox(context: GoogleContext, email: string): Mailbox | undefined {
  return context.state.mailboxes[email.toLowerCase()];
}
