import type { Caller } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { HeldLeases } from '../leases/index.ts';
import type { CalendarEvent } from '../model/index.ts';
import type { HeldSlot, HoldRow, HoldStore } from '../ports/index.ts';
import type { BookingMoves } from './booking-moves.ts';
import { WRITE_MS, writeMs } from './hold-times.ts';
import { leaseNameOf } from './hold-upkeep.ts';

/** Moves that have begun and not ended: their provider has not answered yet, or has not been available. */
export interface PendingMoves {
  /** Finds the move of a booking to a slot that meets this one. Another one is found by `HoldStore.take`. */
  find(booking: HoldRow, slot: HeldSlot): Promise<HoldRow | undefined>;
  /** Goes on with a move. Undefined while another request or process is at it, and when it has ended. */
  join(caller: Caller, booking: HoldRow, next: HoldRow): Promise<CalendarEvent | undefined>;
}

export function createPendingMoves({
  holds,
  moves,
  leases,
}: {
  readonly holds: HoldStore;
  readonly moves: BookingMoves;
  readonly leases: HeldLeases;
}): PendingMoves {
  return {
    async find({ applicationId, id, participants }, slot) {
      const accountIds = participants.slice(0, 1).map(({ accountId }) => accountId);
      for (const { holdId } of await holds.listTaken(applicationId, accountIds, slot)) {
        const row = holdId === id ? undefined : await holds.find(applicationId, holdId);
        if (row?.replaces === id) return row;
      }
      return undefined;
    },

    async join(caller, booking, next) {
      const lease = await leases.claim(leaseNameOf(next));
      if (lease === undefined) return undefined;
      return await leases.during(lease, async () => {
        const ttlMs = writeMs(booking.writeTo ?? 'organizer');
        const isThere = await holds.extend(next.applicationId, next.id, { ttlMs });
        return isThere ? await moves.perform(caller, booking, next) : undefined;
      });
    },
  };
}

/** The error for a booking that another request moves, to another slot or for longer than this one waits. */
export function beingMoved(): KalendsError {
  return new KalendsError('Conflict', 'The booking is being moved by another request; try again later.', {
    retryAfterMs: WRITE_MS,
  });
}
