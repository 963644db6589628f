import type { Caller, EventService } from '../engine-interface.ts';
import { KalendsError } from '../errors.ts';
import type { HoldService } from '../hold-interface.ts';
import { contentHash } from '../mirror/index.ts';
import {
  type Booking,
  type EventCreate,
  eventNotifyQuery,
  type HoldConfirm,
  holdConfirm,
  holdCreate,
  type NotifyAttendees,
  parseInput,
} from '../model/index.ts';
import type { Clock, HoldRow, HoldStore, Random } from '../ports/index.ts';
import { createId } from '../runtime/index.ts';
import type { BookingTokens } from './booking-tokens.ts';
import { readParticipants, readSlot } from './hold-input.ts';
import { organizerOf, viewBooking, viewHold } from './hold-view.ts';
import { type SlotCheck, type SlotQuestion, shownSlot } from './slot-check.ts';
import { HOLD_KEPT_MS, takeSlot, WRITE_MS } from './slot-taking.ts';

const DEFAULT_TTL_MS = 300_000;
/** A booking takes its slot for so long besides, until the mirrors of all participants show the event. */
export const SETTLING_MS = 600_000;
/** For how long a booking can be moved or cancelled after its end. */
export const BOOKING_KEPT_MS = 30 * 86_400_000;

export interface HoldServiceDeps {
  readonly holds: HoldStore;
  readonly check: SlotCheck;
  readonly events: Pick<EventService, 'create' | 'get' | 'update' | 'delete'>;
  readonly tokens: BookingTokens;
  readonly clock: Clock;
  readonly random: Random;
}

/** A confirmation that has begun. */
interface Confirmation {
  readonly caller: Caller;
  readonly hold: HoldRow;
  readonly isRepeat: boolean;
  readonly body: HoldConfirm;
  readonly notifyAttendees: NotifyAttendees | undefined;
}

export function createHoldService(deps: HoldServiceDeps): HoldService {
  const { holds, check, events, tokens, clock, random } = deps;

  /** Releases the slot of a first attempt. A later one leaves it to its time: the one before it may still be writing. */
  async function release({ hold, isRepeat }: Confirmation): Promise<void> {
    if (!isRepeat) await holds.remove(hold.applicationId, hold.id, { state: 'confirming', epoch: hold.epoch });
  }

  /** Checks the slot again, by the newest state. Resolves with the addresses of the participants. */
  async function checkAgain(confirmation: Confirmation): Promise<readonly string[]> {
    const { hold, isRepeat, body } = confirmation;
    const question: SlotQuestion = {
      applicationId: hold.applicationId,
      participants: hold.participants,
      slot: hold,
      own: isRepeat ? hold : undefined,
      ownHolds: [hold.id],
    };
    const { emails } = await check.open(hold.applicationId, hold.participants, { pullFirst: body.pullFirst === true });
    if (await check.isFree(question)) return emails;
    await release(confirmation);
    throw await check.taken(question);
  }

  async function writeEvent(confirmation: Confirmation, emails: readonly string[]) {
    const { caller, hold, body, notifyAttendees } = confirmation;
    const { accountId, calendarId } = organizerOf(hold);
    const request = { idempotencyKey: `hold ${hold.id}`, notifyAttendees };
    try {
      return await events.create(caller, accountId, calendarId, eventOf(hold, body, emails), request);
    } catch (error) {
      if (isRefusal(error)) await release(confirmation);
      throw error;
    }
  }

  async function finish(confirmation: Confirmation): Promise<Booking> {
    const { caller, hold, notifyAttendees } = confirmation;
    const { applicationId, id } = hold;
    const event = await writeEvent(confirmation, await checkAgain(confirmation));
    const booked = await holds.book(applicationId, id, {
      eventId: event.id,
      ttlMs: SETTLING_MS,
      keptMs: BOOKING_KEPT_MS,
    });
    if (booked !== undefined) return viewBooking(booked, tokens.create(applicationId, id), event);
    // The write took longer than the slot was held, and others have taken it since.
    const { accountId, calendarId } = organizerOf(hold);
    await events.delete(caller, accountId, calendarId, event.id, { notifyAttendees });
    const { participants } = hold;
    throw await check.taken({ applicationId, participants, slot: hold, ownHolds: [id] });
  }

  async function find({ applicationId }: Caller, holdId: string): Promise<HoldRow> {
    const row = await holds.find(applicationId, holdId);
    if (row === undefined) throw noHold();
    return row;
  }

  return {
    async create({ applicationId }, body) {
      const { participants: given, expiresInSeconds, pullFirst = false, ...asked } = parseInput(holdCreate, body);
      const participants = readParticipants(given);
      const slot = readSlot(asked, clock.now());
      const hold = {
        ...slot,
        id: createId(random, 'hld'),
        applicationId,
        participants,
        replaces: null,
        createdAt: clock.now(),
      };
      const ttlMs = expiresInSeconds === undefined ? DEFAULT_TTL_MS : expiresInSeconds * 1_000;
      return viewHold(await takeSlot({ check, holds }, hold, { ttlMs, pullFirst }));
    },

    get: async (caller, holdId) => viewHold(await find(caller, holdId)),

    async delete(caller, holdId) {
      const { applicationId, id, state, isTaken } = await find(caller, holdId);
      if (state === 'booked') throw new KalendsError('Conflict', 'The hold is booked: cancel the booking.');
      if (state === 'confirming' && isTaken) throw new KalendsError('Conflict', 'The hold is being confirmed.');
      if (!(await holds.remove(applicationId, id, { state }))) throw noHold();
    },

    async confirm(caller, holdId, given, query = {}) {
      const { notifyAttendees } = parseInput(eventNotifyQuery, query);
      const body = parseInput(holdConfirm, given);
      const { applicationId } = caller;
      const bodyHash = contentHash([body.event, notifyAttendees ?? null]);
      const begun = await holds.beginConfirmation(applicationId, holdId, {
        bodyHash,
        ttlMs: WRITE_MS,
        keptMs: HOLD_KEPT_MS,
      });
      switch (begun?.kind) {
        case undefined:
          throw noHold();
        case 'other-body':
          throw new KalendsError('Conflict', 'The hold is being confirmed, or was, with another body.');
        case 'expired':
          throw new KalendsError('Conflict', 'The hold has expired: take the slot again.');
        case 'in-way': {
          const hold = await find(caller, holdId);
          throw await check.taken({
            applicationId,
            participants: hold.participants,
            slot: hold,
            ownHolds: [holdId],
          });
        }
        case 'booked': {
          const { accountId, calendarId } = organizerOf(begun.hold);
          const event = await foundOrNull(events.get(caller, accountId, calendarId, begun.hold.eventId ?? ''));
          return viewBooking(begun.hold, tokens.create(applicationId, holdId), event);
        }
        case 'begun':
          return await finish({ caller, hold: begun.hold, isRepeat: begun.isRepeat, body, notifyAttendees });
      }
    },
  };
}

/** Returns the event of a hold, to which those participants are invited who are no attendees yet. */
function eventOf(hold: HoldRow, { event }: HoldConfirm, emails: readonly string[]): EventCreate {
  const { startDateTime, endDateTime, timeZone } = shownSlot(hold);
  const attendees = [...(event.attendees ?? [])];
  const [organizer = '', ...others] = emails;
  const known = new Set([organizer, ...attendees.map(({ email }) => email)].map((email) => email.toLowerCase()));
  for (const email of others) {
    if (!known.has(email.toLowerCase())) attendees.push({ email });
    known.add(email.toLowerCase());
  }
  return {
    ...event,
    start: { dateTime: startDateTime, timeZone },
    end: { dateTime: endDateTime, timeZone },
    ...(attendees.length === 0 ? {} : { attendees }),
  };
}

/** Whether a write was refused for good: nothing was written, and a repetition is refused too. */
export function isRefusal(error: unknown): boolean {
  if (!KalendsError.isInstance(error)) return false;
  const { code, status } = error;
  if (code === 'InvalidRefreshToken' || code === 'InvalidCredentials') return true;
  return status >= 400 && status < 500 && status !== 409 && status !== 429;
}

/** Resolves with null where there is no such event. */
export async function foundOrNull<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (KalendsError.isInstance(error) && error.code === 'NotFound') return null;
    throw error;
  }
}

const noHold = () => new KalendsError('NotFound', 'There is no such hold.');
