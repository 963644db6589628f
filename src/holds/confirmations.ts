import type { Caller } from '../engine-interface.ts';
import type { KalendsError } from '../errors.ts';
import type { Booking, HoldConfirm } from '../model/index.ts';
import type { HeldSlot, HoldRow, HoldStore } from '../ports/index.ts';
import type { BookingTokens } from './booking-tokens.ts';
import type { HoldEvents, WrittenEvents } from './hold-events.ts';
import { begunFailure, isRefusal } from './hold-failures.ts';
import { BOOKING_KEPT_MS, SETTLING_MS } from './hold-times.ts';
import type { HoldUpkeep } from './hold-upkeep.ts';
import { type Place, placesOf, viewBooking } from './hold-view.ts';
import type { OwnTimes } from './own-times.ts';
import type { SlotCheck, SlotQuestion } from './slot-check.ts';
import { searchOf } from './slot-search.ts';

/** A confirmation that has begun. */
export interface Confirmation {
  readonly caller: Caller;
  readonly hold: HoldRow;
  readonly isRepeat: boolean;
  readonly body: HoldConfirm;
}

export interface ConfirmationDeps {
  readonly holds: HoldStore;
  readonly check: SlotCheck;
  readonly holdEvents: HoldEvents;
  readonly upkeep: HoldUpkeep;
  readonly tokens: BookingTokens;
}

/** Finishes a confirmation: hides the tentative events, checks the slot by the newest state, writes the events, and books. */
export function createConfirmations(deps: ConfirmationDeps): (confirmation: Confirmation) => Promise<Booking> {
  const { holds, check, holdEvents, upkeep, tokens } = deps;

  /** Releases the slot of a first attempt. A later one leaves it to its time: the one before it may still be writing. */
  async function release({ hold, isRepeat }: Confirmation): Promise<void> {
    if (!isRepeat) await upkeep.release(hold, { state: 'confirming', epoch: hold.epoch });
  }

  /** Checks the slot again. Resolves with the addresses of the participants. */
  async function checkAgain(confirmation: Confirmation): Promise<readonly string[]> {
    const { hold, isRepeat, body } = confirmation;
    const { applicationId, participants } = hold;
    const { emails } = await check.open(applicationId, participants, { pullFirst: body.pullFirst === true });
    const own: OwnTimes = async (place) => [...(isRepeat ? [hold] : []), ...tentativeTimes(hold, place)];
    if (await check.isFree({ ...questionOf(hold), own })) return emails;
    // Before the events of this hold go: a person's own is in the way.
    const taken = await check.taken({ ...questionOf(hold), own });
    await release(confirmedNothing(confirmation));
    throw taken;
  }

  async function write(confirmation: Confirmation, emails: readonly string[]): Promise<WrittenEvents> {
    const { caller, hold, body } = confirmation;
    try {
      return await holdEvents.write({ caller, hold, event: body.event, emails });
    } catch (error) {
      if (isRefusal(error)) await release(hold.writeTo === 'each' ? confirmation : confirmedNothing(confirmation));
      throw begunFailure(error);
    }
  }

  return async (begun) => {
    const isHidden = await holdEvents.hideTentative(begun.hold);
    const hold = isHidden ? { ...begun.hold, tentative: null } : begun.hold;
    const confirmation = { ...begun, hold };
    const { applicationId, id, epoch } = hold;
    const { event, eventIds } = await write(confirmation, await checkAgain(confirmation));
    const kept = { ttlMs: SETTLING_MS, keptMs: BOOKING_KEPT_MS };
    const booked = await holds.book(applicationId, id, { eventIds, ...kept });
    if (booked !== undefined) {
      if (isHidden && begun.hold.tentative !== null) await holds.settle(applicationId, id, { state: 'booked', epoch });
      return viewBooking(booked, tokens.create(applicationId, id), event);
    }
    // The writes took longer than the slot was held, and others have taken it since.
    if (!(await upkeep.release(hold, { state: 'confirming' }))) await holdEvents.removeWritten(hold);
    throw await takenBy(check, hold);
  };
}

/** Creates the error for a hold whose slot others have taken. */
export function takenBy(check: SlotCheck, hold: HoldRow): Promise<KalendsError> {
  return check.taken(questionOf(hold));
}

function questionOf(hold: HoldRow): SlotQuestion {
  const { applicationId, participants } = hold;
  return { applicationId, participants, slot: hold, ownHolds: [hold.id], search: searchOf(hold) };
}

/** Time of the tentative event in a calendar that could not be hidden yet. */
function tentativeTimes(hold: HoldRow, { accountId, calendarId }: Place): readonly HeldSlot[] {
  const places = placesOf(hold, hold.tentative);
  return places.some((shown) => shown.accountId === accountId && shown.calendarId === calendarId) ? [hold] : [];
}

/** A first confirmation that has certainly written nothing. */
function confirmedNothing(confirmation: Confirmation): Confirmation {
  const { hold } = confirmation;
  return { ...confirmation, hold: { ...hold, writeTo: null } };
}
