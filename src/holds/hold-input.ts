import { invalid } from '../errors.ts';
import { queryInstant, requireZone } from '../events/index.ts';
import { type BookingMove, type HoldCreate, type HoldParticipantInput, MOST_HOLD_CALENDARS } from '../model/index.ts';
import type { AssignmentOrder, HoldParticipant } from '../ports/index.ts';
import { readSince } from '../scheduling/index.ts';
import { DAY_MS } from '../zones/index.ts';
import type { ZonedSlot } from './zoned-slot.ts';

const MINUTE_MS = 60_000;
const LONGEST_MS = 31 * DAY_MS;

/** Reads a slot. @throws KalendsError InvalidRequest naming the field */
export function readSlot({ startDateTime, endDateTime, timeZone }: BookingMove, nowMs: number): ZonedSlot {
  const zone = requireZone('timeZone', timeZone);
  const startMs = wholeSecond('startDateTime', startDateTime, zone);
  const endMs = wholeSecond('endDateTime', endDateTime, zone);
  if (startMs < nowMs) throw invalid('startDateTime', 'must not be in the past');
  if (endMs - startMs < MINUTE_MS) throw invalid('endDateTime', 'must be at least a minute after startDateTime');
  if (endMs - startMs > LONGEST_MS) throw invalid('endDateTime', 'must be at most 31 days after startDateTime');
  return { startMs, endMs, timeZone: zone };
}

function wholeSecond(path: string, text: string, zone: string): number {
  const down = queryInstant(path, text, zone, 'down');
  if (down % 1_000 !== 0 || queryInstant(path, text, zone, 'up') !== down)
    throw invalid(path, 'must be in whole seconds');
  return down;
}

/** Who is to take part in a hold. */
export interface HoldPeople {
  readonly participants: readonly HoldParticipant[];
  /** One of them is chosen. */
  readonly assign?: AssignmentOrder;
}

/** Reads who is to take part. @throws KalendsError InvalidRequest naming the field */
export function readPeople({ participants = [], roundRobin, timeZone }: HoldCreate): HoldPeople {
  const candidates = roundRobin?.candidates ?? [];
  const seen = new Set<string>();
  for (const [index, { endUserAccountId }] of [...participants, ...candidates].entries()) {
    if (seen.has(endUserAccountId)) {
      throw invalid(`${pathOf(index, participants.length)}.endUserAccountId`, 'must not name an account twice');
    }
    seen.add(endUserAccountId);
  }
  const read = {
    participants: participants.map(readOne),
    candidates: candidates.map((each) => ({ ...readOne(each), weight: each.weight ?? 1 })),
  };
  const all = [...read.participants, ...read.candidates];
  if (all.reduce((sum, { calendarIds }) => sum + calendarIds.length, 0) > MOST_HOLD_CALENDARS) {
    const path = candidates.length === 0 ? 'participants' : 'roundRobin.candidates';
    throw invalid(path, `must name at most ${MOST_HOLD_CALENDARS} calendars in all`);
  }
  if (roundRobin === undefined) return { participants: read.participants };
  const { pool, sinceDateTime } = roundRobin;
  const sinceMs = readSince(sinceDateTime, requireZone('timeZone', timeZone));
  return { participants: read.participants, assign: { pool, sinceMs, candidates: read.candidates } };
}

function readOne({ endUserAccountId, calendarIds }: HoldParticipantInput): HoldParticipant {
  return { accountId: endUserAccountId, calendarIds: [...new Set(calendarIds)] };
}

/** Returns the path of a person among the participants of a request and the candidates behind them. */
export function pathOf(index: number, participants: number): string {
  return index < participants ? `participants.${index}` : `roundRobin.candidates.${index - participants}`;
}
