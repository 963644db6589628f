import { KalendsError } from '../errors.ts';
import type { AssignmentOrder, HoldRow, HoldStore, NewHold } from '../ports/index.ts';
import { HOLD_KEPT_MS } from './hold-times.ts';
import { beingMoved } from './pending-moves.ts';
import type { SlotCheck, SlotQuestion } from './slot-check.ts';
import type { SlotSearch } from './slot-search.ts';

/** Checks of one attempt: calendars that change more often than this are not waited for. */
const MOST_CHECKS = 5;
const RETRY_MS = 1_000;

/** A hold with the search for other slots as we have written it. */
export type SearchedHold = NewHold & { readonly search: SlotSearch };

export interface TakeOptions {
  readonly ttlMs: number;
  readonly pullFirst: boolean;
  /** When the hold is due, if ever. @default never */
  readonly dueInMs?: number;
  /** One of several accounts that is to be chosen. */
  readonly assign?: AssignmentOrder | undefined;
  /** Which of the participants, and of the candidates behind them, are to get an event. @default none */
  readonly getsEvent?: (index: number) => boolean;
  /** Finds the time of the events of the booking that moves. */
  readonly own?: SlotQuestion['own'];
}

/**
 * Takes a slot that calendars and holds leave free. The check reads outside of any transaction; the row is written only if no mirror has
 * moved since, and otherwise the check is repeated.
 * @throws KalendsError SlotTaken, NotFound, CalendarReadOnly, Conflict when calendars change all the time
 */
export async function takeSlot(
  { check, holds }: { readonly check: SlotCheck; readonly holds: HoldStore },
  hold: SearchedHold,
  { ttlMs, pullFirst, dueInMs, own, assign, getsEvent }: TakeOptions,
): Promise<HoldRow> {
  const { applicationId, participants, replaces } = hold;
  const ownHolds = replaces === null ? [] : [replaces];
  for (let checks = 0; checks < MOST_CHECKS; checks += 1) {
    const { seen, expired } = await check.open(applicationId, participants, {
      pullFirst: pullFirst && checks === 0,
      candidates: assign?.candidates ?? [],
      ...(getsEvent && { getsEvent }),
    });
    const candidates = assign?.candidates.filter(({ accountId }) => !expired.includes(accountId)) ?? [];
    const { search } = hold;
    const question: SlotQuestion = { applicationId, participants, slot: hold, own, ownHolds, search, candidates };
    const free = await check.freeCandidates(question);
    if (free === undefined || (assign !== undefined && free.length === 0)) throw await check.taken(question);
    const asked = new Set([...participants.map(({ accountId }) => accountId), ...free]);
    const taken = await holds.take(hold, {
      seen: seen.filter(({ accountId }) => asked.has(accountId)),
      ttlMs,
      keptMs: HOLD_KEPT_MS,
      dueInMs: dueInMs ?? null,
      assign: assign && { ...assign, candidates: candidates.filter(({ accountId }) => asked.has(accountId)) },
    });
    if (taken.kind === 'taken') return taken.hold;
    if (taken.kind === 'in-way') throw await check.taken(question);
    if (taken.kind === 'no-account') throw new KalendsError('NotFound', 'There is no such account.');
    if (taken.kind === 'replacing') throw beingMoved();
  }
  throw new KalendsError('Conflict', 'The calendars are changing; try again.', { retryAfterMs: RETRY_MS });
}
