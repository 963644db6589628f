import type { BusyReader, ImportTarget } from '../events/index.ts';
import type { HeldLeases } from '../leases/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { Clock, Logger, Random, Storage } from '../ports/index.ts';
import type { Secrets, WakeUp } from '../runtime/index.ts';
import { createBookingMoves } from './booking-moves.ts';
import { createBookingService } from './booking-service.ts';
import { createBookingTokens } from './booking-tokens.ts';
import { createConfirmations } from './confirmations.ts';
import { createHoldEvents } from './hold-events.ts';
import { createHoldService } from './hold-service.ts';
import { createHoldUpkeep } from './hold-upkeep.ts';
import { createPendingMoves } from './pending-moves.ts';
import { createSlotCheck } from './slot-check.ts';

export interface HoldDeps {
  readonly storage: Pick<Storage, 'holds'>;
  readonly mirror: Mirror;
  readonly busy: BusyReader;
  readonly events: ImportTarget;
  readonly leases: HeldLeases;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Wakes the work on holds that are due. */
  readonly wakeUp: WakeUp;
}

/** Composes holds, the bookings that they become, and the work on their events. */
export function composeHolds(all: HoldDeps) {
  const { mirror, busy, events, leases, secrets, clock, random, logger, wakeUp } = all;
  const { holds } = all.storage;
  const check = createSlotCheck({ mirror, busy, holds, clock });
  const tokens = createBookingTokens(secrets);
  const holdEvents = createHoldEvents({ events, logger });
  const moves = createBookingMoves({ holds, events, clock, logger });
  const pendingMoves = createPendingMoves({ holds, moves, leases });
  const upkeep = createHoldUpkeep({ holds, holdEvents, moves, leases, clock, logger, wakeUp });
  const confirm = createConfirmations({ holds, check, holdEvents, upkeep, tokens });
  const shared = { holds, check, events, upkeep, tokens, clock, random };
  return {
    holds: createHoldService({ ...shared, holdEvents, confirm }),
    bookings: createBookingService({ ...shared, moves, pendingMoves, leases }),
    /** Works on holds that are due until the signal aborts. */
    run: upkeep.run,
  };
}
