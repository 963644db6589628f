import type { EventService } from '../engine-interface.ts';
import type { BusyReader } from '../events/index.ts';
import type { Mirror } from '../mirror/index.ts';
import type { Clock, Random, Storage } from '../ports/index.ts';
import type { Secrets } from '../runtime/index.ts';
import { createBookingService } from './booking-service.ts';
import { createBookingTokens } from './booking-tokens.ts';
import { createHoldService } from './hold-service.ts';
import { createSlotCheck } from './slot-check.ts';

export interface HoldDeps {
  readonly storage: Pick<Storage, 'holds'>;
  readonly mirror: Mirror;
  readonly busy: BusyReader;
  readonly events: EventService;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
}

/** Composes holds and the bookings that they become. */
export function composeHolds({ storage, mirror, busy, events, secrets, clock, random }: HoldDeps) {
  const { holds } = storage;
  const check = createSlotCheck({ mirror, busy, holds });
  const deps = { holds, check, events, tokens: createBookingTokens(secrets), clock, random };
  return { holds: createHoldService(deps), bookings: createBookingService(deps) };
}
