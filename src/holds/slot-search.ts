import {
  availableSlots,
  availableSlotsInSteps,
  type AvailabilityQuery as CoreQuery,
  explainSlotInSteps,
} from '../availability/index.ts';
import { invalid, KalendsError } from '../errors.ts';
import type { AvailabilityRules, BookingInput, HoldCandidate, HoldCreate } from '../model/index.ts';
import type { HeldSlot, HoldParticipant, HoldRow } from '../ports/index.ts';
import { coreQuery, refuseAsRequest, searchInTurns, withBuffers } from '../scheduling/index.ts';
import { DAY_MS } from '../zones/index.ts';
import { pathOf } from './hold-input.ts';
import { type EventTimes, shownSlot, type ZonedSlot } from './zoned-slot.ts';

/** How far from a taken slot the next ones are sought. */
const SEARCH_MS = 14 * DAY_MS;
const STEP_MINUTES = 15;
const MINUTE_MS = 60_000;
const NEXT_SLOTS = 5;

/** By which the next slots of a hold are sought: rules as `POST /v1/availability` has them. Kept with the hold. */
export interface SlotSearch {
  /** By account. Their hours stay in the zone that they have when the hold is created, whichever zone it moves to. */
  readonly participants: Readonly<
    Record<string, AvailabilityRules & { readonly timeZone?: string; readonly bookings?: BookingInput[] }>
  >;
  readonly rules?: AvailabilityRules;
  readonly stepMinutes?: number;
  readonly noticeMinutes?: number;
  /** Of a move. */
  readonly movesFrom?: MovesFrom;
}

/** Times that the events of a booking have before it moves, by account. */
export type MovesFrom = Readonly<Record<string, EventTimes>>;

/** The slot that is taken, and where the next ones are sought. */
export interface SearchPlace {
  readonly slot: ZonedSlot;
  readonly participants: readonly HoldParticipant[];
  /** One of these takes part too. */
  readonly candidates?: readonly HoldParticipant[];
  readonly search: SlotSearch;
  readonly nowMs: number;
}

/** Reads by which the next slots are sought. @throws KalendsError InvalidRequest naming the field */
export function readSearch(body: HoldCreate, place: Omit<SearchPlace, 'search'>): SlotSearch {
  const { participants: given = [], roundRobin, rules, stepMinutes, noticeMinutes } = body;
  const people: readonly HoldCandidate[] = [...given, ...(roundRobin?.candidates ?? [])];
  const search = {
    participants: Object.fromEntries(
      people.map(({ endUserAccountId, calendarIds: _, weight: __, timeZone = place.slot.timeZone, ...own }) => [
        endUserAccountId,
        { timeZone, ...own },
      ]),
    ),
    ...(rules === undefined ? {} : { rules }),
    ...(stepMinutes === undefined ? {} : { stepMinutes }),
    ...(noticeMinutes === undefined ? {} : { noticeMinutes }),
  };
  try {
    const query = queryOf({ ...place, search });
    const { startMs } = query.window;
    // A search of so short a window checks every field.
    refuseAsRequest(() =>
      availableSlots({ ...query, window: { startMs, endMs: startMs + query.durationMs } }, { limit: 1 }),
    );
  } catch (error) {
    throw ofRequest(error, given.length);
  }
  return search;
}

/** Returns the search that was kept with a hold. */
export function searchOf({ search }: Pick<HoldRow, 'search'>): SlotSearch {
  // Trusted: only this module makes what is kept.
  return search as SlotSearch;
}

/** Returns the time whose busy spans the search needs. */
export function searchedWindow(place: SearchPlace): HeldSlot {
  const query = queryOf(place);
  return withBuffers(query.window, query);
}

/** Returns the time whose busy spans decide whether the rules leave the slot to a candidate. */
export function slotWindow(place: SearchPlace): HeldSlot {
  return withBuffers(place.slot, queryOf(place));
}

/** Lists the candidates to whom their rules leave the slot, by the busy time of each participant and candidate in their order. */
export async function candidatesByRules(
  lane: string,
  place: SearchPlace,
  busy: readonly (readonly HeldSlot[])[],
): Promise<readonly string[]> {
  const { candidates = [], slot } = place;
  const steps = explainSlotInSteps(withBusy(queryOf(place), busy), slot.startMs);
  const { participants } = await searchInTurns(lane, steps);
  const free = new Set(participants.filter(({ isFree }) => isFree).map(({ id }) => id));
  return candidates.map(({ accountId }) => accountId).filter((id) => free.has(id));
}

/** Returns the next slots of the same length, by the busy time of each participant in their order. */
export async function nextSlots(lane: string, place: SearchPlace, busy: readonly (readonly HeldSlot[])[]) {
  const steps = availableSlotsInSteps(withBusy(queryOf(place), busy), { limit: NEXT_SLOTS });
  const { slots } = await searchInTurns(lane, steps);
  return slots.map((free) => shownSlot({ ...free, timeZone: place.slot.timeZone }));
}

/** Names the field of a candidate, who is a participant of the query, as the request does. */
function ofRequest(error: unknown, participants: number): unknown {
  const [{ path, message } = { path: '', message: '' }] = (KalendsError.isInstance(error) && error.details) || [];
  const [, index] = /^participants\.(\d+)/.exec(path) ?? [];
  if (index === undefined || Number(index) < participants) return error;
  return invalid(path.replace(/^participants\.\d+/, pathOf(Number(index), participants)), message);
}

function withBusy(query: CoreQuery, busy: readonly (readonly HeldSlot[])[]): CoreQuery {
  const participants = query.participants.map((participant, index) => ({
    ...participant,
    busy: (busy[index] ?? []).map(({ startMs, endMs }) => ({ startMs, endMs })),
  }));
  return { ...query, participants };
}

function queryOf({ slot, participants, candidates = [], search, nowMs }: SearchPlace): CoreQuery {
  const { startMs, endMs, timeZone } = slot;
  const { rules, stepMinutes = STEP_MINUTES, noticeMinutes } = search;
  return coreQuery(
    {
      startDateTime: new Date(startMs).toISOString(),
      endDateTime: new Date(endMs + SEARCH_MS).toISOString(),
      timeZone,
      durationMinutes: (endMs - startMs) / MINUTE_MS,
      stepMinutes,
      noticeMinutes,
      rules,
      ...(candidates.length === 0 ? {} : { mode: 'round-robin' as const }),
      participants: [...participants, ...candidates].map(({ accountId }, index) => ({
        ...search.participants[accountId],
        id: accountId,
        role: index < participants.length ? ('required' as const) : ('host' as const),
      })),
    },
    nowMs,
  );
}
