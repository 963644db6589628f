import { KalendsError } from '../errors.ts';
import type { HoldRow, HoldStore, NewHold } from '../ports/index.ts';
import type { SlotCheck, SlotQuestion } from './slot-check.ts';

/** Checks of one attempt: calendars that change more often than this are not waited for. */
const MOST_CHECKS = 5;
const RETRY_MS = 1_000;

/** For how long a hold that has expired can be read, and a confirmation that was left be repeated. */
export const HOLD_KEPT_MS = 86_400_000;
/** Time for the calls of a write to the provider. */
export const WRITE_MS = 120_000;

export interface TakeOptions {
  readonly ttlMs: number;
  readonly pullFirst: boolean;
  /** Time of the event of the booking that moves. */
  readonly own?: SlotQuestion['own'];
}

/**
 * Takes a slot that calendars and holds leave free. The check reads outside of any transaction; the row is written only if no mirror has
 * moved since, and otherwise the check is repeated.
 * @throws KalendsError SlotTaken, NotFound, Conflict when calendars change all the time
 */
export async function takeSlot(
  { check, holds }: { readonly check: SlotCheck; readonly holds: HoldStore },
  hold: NewHold,
  { ttlMs, pullFirst, own }: TakeOptions,
): Promise<HoldRow> {
  const { applicationId, participants, replaces } = hold;
  const question: SlotQuestion = {
    applicationId,
    participants,
    slot: hold,
    own,
    ownHolds: replaces === null ? [] : [replaces],
  };
  for (let checks = 0; checks < MOST_CHECKS; checks += 1) {
    const { seen } = await check.open(applicationId, participants, { pullFirst: pullFirst && checks === 0 });
    if (!(await check.isFree(question))) throw await check.taken(question);
    const taken = await holds.take(hold, { seen, ttlMs, keptMs: HOLD_KEPT_MS });
    if (taken.kind === 'taken') return taken.hold;
    if (taken.kind === 'in-way') throw await check.taken(question);
    if (taken.kind === 'no-account') throw new KalendsError('NotFound', 'There is no such account.');
    if (taken.kind === 'replacing') {
      throw new KalendsError('Conflict', 'The booking is being moved by another request; try again later.', {
        retryAfterMs: WRITE_MS,
      });
    }
  }
  throw new KalendsError('Conflict', 'The calendars are changing; try again.', { retryAfterMs: RETRY_MS });
}
