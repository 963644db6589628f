import type { Caller } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { HoldService } from '../hold-interface.ts';
import { contentHash } from '../mirror/index.ts';
import { eventNotifyQuery, holdConfirm, holdCreate, parseInput } from '../model/index.ts';
import type { Clock, HoldRow, HoldStore, Random } from '../ports/index.ts';
import { createId } from '../runtime/index.ts';
import type { BookingTokens } from './booking-tokens.ts';
import { type Confirmation, takenBy } from './confirmations.ts';
import type { HoldEvents, HoldTarget } from './hold-events.ts';
import { foundOrNull } from './hold-failures.ts';
import { readPeople, readSlot } from './hold-input.ts';
import { DEFAULT_TTL_MS, HOLD_KEPT_MS, WRITE_MS, writeMs } from './hold-times.ts';
import type { HoldUpkeep } from './hold-upkeep.ts';
import { bookedEvents, viewBooking, viewHold } from './hold-view.ts';
import type { SlotCheck } from './slot-check.ts';
import { readSearch } from './slot-search.ts';
import { takeSlot } from './slot-taking.ts';

export interface HoldServiceDeps {
  readonly holds: HoldStore;
  readonly check: SlotCheck;
  readonly events: HoldTarget;
  readonly holdEvents: HoldEvents;
  readonly upkeep: HoldUpkeep;
  readonly confirm: (confirmation: Confirmation) => ReturnType<HoldService['confirm']>;
  readonly tokens: BookingTokens;
  readonly clock: Clock;
  readonly random: Random;
}

const DEFAULT_TITLE = 'Hold';

/** Holds: slots that are taken while a person fills in a form. */
export function createHoldService(deps: HoldServiceDeps): HoldService {
  const { holds, check, events, holdEvents, upkeep, tokens, clock, random } = deps;

  async function find({ applicationId }: Caller, holdId: string): Promise<HoldRow> {
    const row = await holds.find(applicationId, holdId);
    if (row === undefined || row.state === 'releasing') throw noHold();
    return row;
  }

  /** Shows a new hold in calendars. It is released when that fails, or takes longer than the slot is held. */
  async function show(caller: Caller, hold: HoldRow, title: string) {
    try {
      await holdEvents.showTentative(caller, hold, title);
    } catch (error) {
      await upkeep.release(hold, { state: 'held' });
      throw error;
    }
    await holds.postpone(hold.applicationId, hold.id, null);
    const shown = await holds.find(hold.applicationId, hold.id);
    if (shown?.isTaken === true && shown.tentative !== null) return;
    // A process that stood still meanwhile has shown what another one had already hidden.
    if (!(await upkeep.release(hold, { state: 'held' }))) await holdEvents.hideTentative(hold);
    throw new KalendsError('Conflict', 'The hold expired while it was shown in calendars: take the slot again.');
  }

  async function viewBooked(caller: Caller, hold: HoldRow) {
    const [organized] = bookedEvents(hold);
    const { accountId = '', calendarId = '', eventId = '' } = organized ?? {};
    const event = await foundOrNull(events.get(caller, accountId, calendarId, eventId));
    return viewBooking(hold, tokens.create(hold.applicationId, hold.id), event);
  }

  return {
    async create(caller, body) {
      const input = parseInput(holdCreate, body);
      const { expiresInSeconds, pullFirst = false, tentativeEvent } = input;
      const { applicationId } = caller;
      const { participants, assign } = readPeople(input);
      const candidates = assign?.candidates ?? [];
      const slot = readSlot(input, clock.now());
      const hold = {
        ...slot,
        id: createId(random, 'hld'),
        applicationId,
        participants,
        replaces: null,
        tentative: tentativeEvent?.writeTo ?? null,
        search: readSearch(input, { slot, participants, candidates, nowMs: clock.now() }),
        notifyAttendees: null,
        createdAt: clock.now(),
      };
      const ttlMs = expiresInSeconds === undefined ? DEFAULT_TTL_MS : expiresInSeconds * 1_000;
      // Its tentative events are not removed while they are being written.
      const due = tentativeEvent === undefined ? {} : { dueInMs: Math.max(ttlMs, WRITE_MS) };
      // A candidate who is chosen organizes.
      const getsEvent = (index: number) =>
        tentativeEvent?.writeTo === 'each' || (assign === undefined ? index === 0 : index >= participants.length);
      const taken = await takeSlot({ check, holds }, hold, { ttlMs, pullFirst, assign, getsEvent, ...due });
      if (tentativeEvent !== undefined) {
        await show(caller, taken, tentativeEvent.title ?? DEFAULT_TITLE);
      }
      return viewHold(taken, tokens.create(applicationId, taken.id));
    },

    get: async (caller, holdId) => viewHold(await find(caller, holdId), tokens.create(caller.applicationId, holdId)),

    async delete(caller, holdId) {
      let isReleased = false;
      // Read again where a confirmation has changed it meanwhile.
      while (!isReleased) {
        const hold = await find(caller, holdId);
        const { state, epoch, isTaken } = hold;
        if (state === 'booked') throw new KalendsError('Conflict', 'The hold is booked: cancel the booking.');
        if (state === 'confirming' && isTaken) throw new KalendsError('Conflict', 'The hold is being confirmed.');
        isReleased = await upkeep.release(hold, { state, epoch });
      }
    },

    async confirm(caller, holdId, given, query = {}) {
      const { notifyAttendees = null } = parseInput(eventNotifyQuery, query);
      const body = parseInput(holdConfirm, given);
      const { applicationId } = caller;
      const { writeTo = 'organizer' } = body;
      const begun = await holds.beginConfirmation(applicationId, holdId, {
        bodyHash: contentHash([body.event, notifyAttendees, writeTo]),
        writeTo,
        notifyAttendees,
        ttlMs: writeMs(writeTo),
        keptMs: HOLD_KEPT_MS,
      });
      switch (begun?.kind) {
        case undefined:
          throw noHold();
        case 'other-body':
          throw new KalendsError('Conflict', 'The hold is being confirmed, or was, with another body.');
        case 'expired':
          throw new KalendsError('Conflict', 'The hold has expired: take the slot again.');
        case 'in-way':
          throw await takenBy(check, await find(caller, holdId));
        case 'booked':
          return await viewBooked(caller, begun.hold);
        case 'begun':
          return await deps.confirm({ caller, hold: begun.hold, isRepeat: begun.isRepeat, body });
      }
    },
  };
}

const noHold = () => new KalendsError('NotFound', 'There is no such hold.');
