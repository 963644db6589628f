import type { Caller } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { BookingService } from '../hold-interface.ts';
import type { HeldLeases } from '../leases/index.ts';
import { bookingMove, type CalendarEvent, eventNotifyQuery, parseInput } from '../model/index.ts';
import type { Clock, HoldRow, HoldStore, Random } from '../ports/index.ts';
import { createId } from '../runtime/index.ts';
import type { BookingMoves } from './booking-moves.ts';
import type { BookingTokens } from './booking-tokens.ts';
import type { HoldTarget } from './hold-events.ts';
import { begunFailure, foundOrNull, isRefusal } from './hold-failures.ts';
import { readSlot } from './hold-input.ts';
import { WRITE_MS, writeMs } from './hold-times.ts';
import { type HoldUpkeep, leaseNameOf } from './hold-upkeep.ts';
import { type BookedEvent, bookedEvents, viewBooking } from './hold-view.ts';
import { ownTimesOf } from './own-times.ts';
import { beingMoved, type PendingMoves } from './pending-moves.ts';
import type { SlotCheck } from './slot-check.ts';
import { searchOf } from './slot-search.ts';
import { type SearchedHold, takeSlot } from './slot-taking.ts';
import { isAt, type ZonedSlot } from './zoned-slot.ts';

/** How often, and how many times, a request that waits for another one's move looks whether it has ended. */
const LOOK_EVERY_MS = 500;
const MOST_LOOKS = 20;

/** Where a booking is to move, and how. */
type MoveOptions = ZonedSlot & Pick<HoldRow, 'notifyAttendees'> & { readonly pullFirst: boolean };

export interface BookingServiceDeps {
  readonly holds: HoldStore;
  readonly check: SlotCheck;
  readonly events: HoldTarget;
  readonly moves: BookingMoves;
  readonly pendingMoves: PendingMoves;
  readonly upkeep: HoldUpkeep;
  readonly leases: HeldLeases;
  readonly tokens: BookingTokens;
  readonly clock: Clock;
  readonly random: Random;
}

/** Bookings: confirmed holds and their events, by token. */
export function createBookingService(deps: BookingServiceDeps): BookingService {
  const { holds, check, events, moves, pendingMoves, upkeep, leases, tokens, clock, random } = deps;

  async function find({ applicationId }: Caller, token: string): Promise<HoldRow> {
    const id = tokens.read(applicationId, token);
    const row = id === undefined ? undefined : await holds.find(applicationId, id);
    if (row?.state !== 'booked' && row?.state !== 'releasing') throw noBooking();
    return row;
  }

  async function findBooked(caller: Caller, token: string): Promise<HoldRow> {
    const row = await find(caller, token);
    if (row.state !== 'booked') throw noBooking();
    return row;
  }

  const readEvent = async (caller: Caller, booked: BookedEvent | undefined) =>
    booked === undefined
      ? null
      : await foundOrNull(events.get(caller, booked.accountId, booked.calendarId, booked.eventId));

  /** Reads the events of a booking that are there, by account. @throws KalendsError NotFound without the organizer's */
  async function presentEvents(caller: Caller, row: HoldRow): Promise<readonly (readonly [string, CalendarEvent])[]> {
    const present: [string, CalendarEvent][] = [];
    for (const [index, booked] of bookedEvents(row).entries()) {
      const event = await readEvent(caller, booked);
      if (event === null && index === 0) {
        throw new KalendsError('NotFound', 'The event of the booking has been deleted.');
      }
      if (event !== null) present.push([booked.accountId, event]);
    }
    return present;
  }

  /** Takes the slot for a booking and moves its events there. */
  async function begin(
    caller: Caller,
    row: HoldRow,
    { pullFirst, ...next }: MoveOptions & Pick<HoldRow, 'id'>,
  ): Promise<CalendarEvent> {
    const present = await presentEvents(caller, row);
    const booked = present.map(([, event]) => event);
    const own = ownTimesOf(events, caller, booked);
    const movesFrom = Object.fromEntries(
      present.map(([accountId, { start, end, isAllDay }]) => [accountId, { start, end, isAllDay }]),
    );
    const hold: SearchedHold = {
      ...next,
      applicationId: caller.applicationId,
      participants: row.participants,
      replaces: row.id,
      tentative: null,
      search: { ...searchOf(row), movesFrom },
      createdAt: clock.now(),
    };
    const lease = await leases.claim(leaseNameOf(hold));
    if (lease === undefined) throw new KalendsError('InternalError', 'The move could not be begun.');
    // Due at once: when this process dies, and its lease ends, another one finishes the move.
    return await leases.during(lease, async () => {
      const options = { ttlMs: writeMs(row.writeTo ?? 'organizer'), pullFirst, dueInMs: 0, own };
      return await moves.perform(caller, row, await takeSlot({ check, holds }, hold, options));
    });
  }

  /**
   * Moves a booking, or goes on with an equal move that is pending: a request that is repeated after an unclear answer, or comes twice at a
   * time, is answered by what the first one does. Undefined while another request is at it, and when that has just ended.
   */
  async function moveOrJoin(caller: Caller, row: HoldRow, options: MoveOptions): Promise<CalendarEvent | undefined> {
    const pending = await pendingMoves.find(row, options);
    if (pending !== undefined) {
      if (!isAt(pending, options)) throw beingMoved();
      return await pendingMoves.join(caller, row, pending);
    }
    const id = createId(random, 'hld');
    try {
      return await begin(caller, row, { ...options, id });
    } catch (error) {
      const other = await pendingMoves.find(row, options);
      if (other !== undefined && other.id !== id) return undefined;
      const present = await holds.find(caller.applicationId, row.id);
      if (other === undefined && present !== undefined && hasMoved(row, present, options)) return undefined;
      throw error;
    }
  }

  return {
    async get(caller, token) {
      const row = await findBooked(caller, token);
      const event = await readEvent(caller, bookedEvents(row)[0]);
      return viewBooking(row, tokens.create(caller.applicationId, row.id), event);
    },

    async move(caller, token, body, query = {}) {
      const { notifyAttendees = null } = parseInput(eventNotifyQuery, query);
      const { pullFirst = false, ...asked } = parseInput(bookingMove, body);
      const slot = readSlot({ ...asked }, clock.now());
      const viewMoved = (row: HoldRow, event: CalendarEvent | null) =>
        viewBooking({ ...row, ...slot }, tokens.create(caller.applicationId, row.id), event);
      const options = { ...slot, pullFirst, notifyAttendees };
      const first = await findBooked(caller, token);
      let row = first;
      for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
        const event = await moveOrJoin(caller, row, options);
        if (event !== undefined) return viewMoved(row, event);
        await clock.sleep(LOOK_EVERY_MS);
        row = await findBooked(caller, token);
        if (hasMoved(first, row, slot)) return viewMoved(row, await readEvent(caller, bookedEvents(row)[0]));
      }
      throw beingMoved();
    },

    async cancel(caller, token, query = {}) {
      const { notifyAttendees = null } = parseInput(eventNotifyQuery, query);
      const { applicationId } = caller;
      const row = { ...(await find(caller, token)), notifyAttendees };
      const { id } = row;
      if (row.state === 'booked') {
        const expected = { state: 'booked', dueInMs: WRITE_MS, notifyAttendees } as const;
        if (!(await holds.release(applicationId, id, expected))) throw noBooking();
      }
      const [organized] = bookedEvents(row);
      try {
        // Without an event there is nothing left to delete: an earlier attempt did, or a person.
        if (organized !== undefined) {
          const { accountId, calendarId, eventId } = organized;
          const request = notifyAttendees === null ? {} : { notifyAttendees };
          await foundOrNull(events.delete(caller, accountId, calendarId, eventId, request));
        }
      } catch (error) {
        if (isRefusal(error)) await holds.restore(applicationId, id);
        throw begunFailure(error);
      }
      if (row.tentative === null && bookedEvents(row).length < 2) {
        await holds.remove(applicationId, id, { state: 'releasing' });
      } else await upkeep.clear(row);
    },
  };
}

const noBooking = () => new KalendsError('NotFound', 'There is no such booking.');

/** Whether a booking has come to a slot where it was not before. */
const hasMoved = (before: HoldRow, row: HoldRow, slot: ZonedSlot) => !isAt(before, slot) && isAt(row, slot);
