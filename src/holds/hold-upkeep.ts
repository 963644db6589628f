import type { HeldLeases } from '../leases/index.ts';
import type { Clock, HoldRow, HoldState, HoldStore, Logger, NewHold } from '../ports/index.ts';
import { describeError, type WakeUp } from '../runtime/index.ts';
import type { BookingMoves } from './booking-moves.ts';
import type { HoldEvents } from './hold-events.ts';
import { BOOKING_KEPT_MS, LATE_WRITE_MS, SETTLING_MS } from './hold-times.ts';

/** How often a process looks for holds that are due. */
const EVERY_MS = 5_000;
/** Holds that a process begins to work on between two looks: one whose provider does not answer keeps no other waiting. */
const HOLDS_AT_ONCE = 10;
/** While the process that releases a hold removes its events, no other one does. */
const CLEARING_MS = 30_000;
const FIRST_RETRY_MS = 15_000;
const LONGEST_RETRY_MS = 3_600_000;

/** Name of the lease of work on a hold. */
export const leaseNameOf = ({ id, participants }: Pick<NewHold, 'id' | 'participants'>) =>
  `hold:${participants[0]?.accountId}:${id}`;

/** Ends holds: removes their events, and finishes what a process has left. */
export interface HoldUpkeep {
  /**
   * Gives the slot of a hold in this state free and removes its events, now or later. False, and without effect, when there is no such
   * hold any more.
   */
  release(hold: HoldRow, expected: { readonly state: HoldState; readonly epoch?: number }): Promise<boolean>;
  /** Removes the events of a hold that is being released, then the hold; what could not be removed is due later. */
  clear(hold: HoldRow): Promise<void>;
  /** Works on holds that are due until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface HoldUpkeepDeps {
  readonly holds: HoldStore;
  readonly holdEvents: HoldEvents;
  readonly moves: BookingMoves;
  readonly leases: HeldLeases;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Wakes `run`. */
  readonly wakeUp: WakeUp;
}

export function createHoldUpkeep(deps: HoldUpkeepDeps): HoldUpkeep {
  const { holds, holdEvents, moves, leases, clock, logger, wakeUp } = deps;

  async function clear(hold: HoldRow): Promise<void> {
    const { applicationId, id } = hold;
    const removed = await Promise.all([holdEvents.hideTentative(hold), holdEvents.removeWritten(hold)]);
    if (removed.every(Boolean)) await holds.remove(applicationId, id, { state: 'releasing' });
    else await retryLater(hold);
  }

  async function release(hold: HoldRow, expected: { readonly state: HoldState; readonly epoch?: number }) {
    const { applicationId, id } = hold;
    if (hold.tentative === null && hold.writeTo === null) return await holds.remove(applicationId, id, expected);
    // Another process may have found no tentative events, and have written down that there are none.
    const shown = hold.tentative === null ? {} : { tentative: hold.tentative };
    const isReleased = await holds.release(applicationId, id, { ...expected, ...shown, dueInMs: CLEARING_MS });
    if (isReleased) await clear(hold);
    return isReleased;
  }

  async function retryLater({ applicationId, id, takenUntil }: HoldRow): Promise<void> {
    const sinceMs = clock.now() - takenUntil;
    await holds.postpone(applicationId, id, Math.min(LONGEST_RETRY_MS, Math.max(FIRST_RETRY_MS, sinceMs / 4)));
  }

  /** Hides the tentative events of a hold that needs them no more. */
  async function settle(hold: HoldRow): Promise<void> {
    const { applicationId, id, state, epoch } = hold;
    if (await holdEvents.hideTentative(hold)) await holds.settle(applicationId, id, { state, epoch });
    else await retryLater(hold);
  }

  /** Hides the tentative events of a hold that has expired, and looks once more later: its process may stand still and write them then. */
  async function expire(hold: HoldRow): Promise<void> {
    const lastLookInMs = hold.takenUntil + LATE_WRITE_MS - clock.now();
    if (lastLookInMs <= 0) return await settle(hold);
    if (await holdEvents.hideTentative(hold)) await holds.postpone(hold.applicationId, hold.id, lastLookInMs);
    else await retryLater(hold);
  }

  /** Finishes a confirmation whose process has left it: it is booked if its events are all there, and released if a part of them is. */
  async function finishConfirmation(hold: HoldRow): Promise<void> {
    const { applicationId, id, state, epoch } = hold;
    const { eventIds, isWhole } = await holdEvents.findWritten(hold);
    if (isWhole) {
      const kept = { ttlMs: SETTLING_MS, keptMs: BOOKING_KEPT_MS };
      const booked = await holds.book(applicationId, id, { eventIds, ...kept });
      if (booked !== undefined) return await settle(booked);
    }
    if (Object.keys(eventIds).length > 0) return void (await release(hold, { state, epoch }));
    // It can still be repeated, or its process only stood still and has yet to write.
    if (clock.now() - hold.takenUntil >= LATE_WRITE_MS) return await settle(hold);
    await holdEvents.hideTentative(hold);
    await retryLater(hold);
  }

  async function workOn({ applicationId, id }: HoldRow): Promise<void> {
    const hold = await holds.find(applicationId, id);
    if (hold === undefined) return;
    if (hold.replaces !== null) return await moves.finish(hold);
    if (hold.state === 'releasing') return await clear(hold);
    if (hold.state === 'booked') return await settle(hold);
    if (!hold.isTaken) return await (hold.state === 'confirming' ? finishConfirmation(hold) : expire(hold));
    await holds.postpone(applicationId, id, null);
  }

  async function workUnderLease(row: HoldRow): Promise<void> {
    const lease = await leases.claim(leaseNameOf(row));
    // Another process works on it, and finishes it or dies.
    if (lease === undefined) return await holds.postpone(row.applicationId, row.id, EVERY_MS);
    await leases.during(lease, () =>
      workOn(row).catch(async (error: unknown) => {
        logger.warn('a hold could not be finished', { holdId: row.id, error: describeError(error) });
        await retryLater(row);
      }),
    );
  }

  return {
    release,
    clear,
    async run(signal) {
      const running = new Map<string, { readonly since: number; readonly work: Promise<void> }>();
      const warn = (message: string, error: unknown, fields = {}) => {
        if (!signal.aborted) logger.warn(message, { ...fields, error: describeError(error) });
      };

      const start = (row: HoldRow) => {
        const work = workUnderLease(row)
          .finally(() => running.delete(row.id))
          // One that failed is still due, and waits for the next look.
          .then(wakeUp.notify, (error) => warn('a hold could not be worked on', error, { holdId: row.id }));
        running.set(row.id, { since: clock.now(), work });
      };

      const look = async () => {
        const recent = [...running.values()].filter(({ since }) => clock.now() - since < EVERY_MS);
        const free = HOLDS_AT_ONCE - recent.length;
        // Those that are being worked on are still due.
        const due = free > 0 ? await holds.listDue(free + running.size) : [];
        due
          .filter(({ id }) => !running.has(id))
          .slice(0, free)
          .forEach(start);
      };

      try {
        while (!signal.aborted) {
          // A failure ends no loop: its end would wait for all that is running, for providers that hang too.
          await look().catch((error) => warn('no look for holds', error));
          await wakeUp.wait(EVERY_MS, signal).catch((error) => {
            if (!signal.aborted) throw error;
          });
        }
      } finally {
        await Promise.all([...running.values()].map(({ work }) => work));
      }
    },
  };
}
