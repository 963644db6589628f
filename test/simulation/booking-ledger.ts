import type { Hold } from 'kalends/model';
import type { Person } from './person.ts';
import { note, type Simulation } from './simulation-state.ts';

export const HOUR_MS = 3_600_000;

/** A person who has an account in this history. */
export interface Participant {
  readonly accountId: string;
  readonly person: Person;
}

/** A slot that a caller was told to have, until an instant, unless it is given back. */
interface Claim {
  readonly name: string;
  readonly accountIds: readonly string[];
  readonly startMs: number;
  readonly untilMs: number;
  isOver: boolean;
}

/** A caller who holds one slot. The name is the title of its events. */
export interface Customer {
  readonly name: string;
  /** The first one organizes. */
  readonly participants: readonly Participant[];
  readonly tentative: 'organizer' | 'each' | undefined;
  readonly writeTo: 'organizer' | 'each';
  readonly hold: Hold;
  claim: Claim;
  /** When the first confirmation began: a booking takes its slot from then on, if not from later. */
  confirmedAt: number | undefined;
  /** Of the booking, once a confirmation has been answered. */
  token: string | undefined;
  /** When the slot begins, or may begin, as far as the caller has been told. */
  starts: readonly number[];
  /** The slot of the last move that was asked for and may still come about. */
  unanswered: number | undefined;
  /** A release or a cancellation was asked for, or answered. */
  end: 'none' | 'asked' | 'answered';
  /** A release, a move or a cancellation is under way. */
  isBusy: boolean;
}

/** All that callers have been told about holds. */
export interface BookingLedger {
  readonly customers: Customer[];
  /** Titles of the events of all holds, those included whose callers were never answered. */
  readonly names: string[];
  /** Notes a slot that a caller has got: no other one may have it at this time. */
  claim(simulation: Simulation, claim: Omit<Claim, 'isOver'>): Claim;
}

export function createBookingLedger(): BookingLedger {
  const claims: Claim[] = [];
  return {
    customers: [],
    names: [],
    claim(simulation, given) {
      const { world, failures } = simulation;
      const now = world.time.now();
      const claim = { ...given, isOver: false };
      const isRival = (other: Claim) =>
        !other.isOver &&
        Math.min(other.untilMs, claim.untilMs) > now &&
        other.name !== claim.name &&
        Math.abs(other.startMs - claim.startMs) < HOUR_MS &&
        other.accountIds.some((id) => claim.accountIds.includes(id));
      for (const other of claims.filter(isRival)) {
        failures.push(`one time was given twice: ${JSON.stringify(other)} and ${JSON.stringify(claim)}`);
      }
      claims.push(claim);
      note(simulation, `${claim.name} has ${new Date(claim.startMs).toISOString()}`);
      return claim;
    },
  };
}

export function slotOf(startMs: number) {
  return {
    startDateTime: new Date(startMs).toISOString(),
    endDateTime: new Date(startMs + HOUR_MS).toISOString(),
    timeZone: 'Europe/Berlin',
  };
}
