import { invalid } from '../errors.ts';
import { queryInstant, requireZone } from '../events/index.ts';
import { type BookingMove, type HoldCreate, MOST_HOLD_CALENDARS } from '../model/index.ts';
import type { HeldSlot, HoldParticipant } from '../ports/index.ts';
import { DAY_MS } from '../zones/index.ts';

const MINUTE_MS = 60_000;
const LONGEST_MS = 31 * DAY_MS;

/** A slot in the zone in which it was asked for. */
export interface ZonedSlot extends HeldSlot {
  readonly timeZone: string;
}

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

/** Reads participants. @throws KalendsError InvalidRequest naming the field */
export function readParticipants(given: HoldCreate['participants']): readonly HoldParticipant[] {
  const seen = new Set<string>();
  for (const [index, { endUserAccountId }] of given.entries()) {
    if (seen.has(endUserAccountId)) {
      throw invalid(`participants.${index}.endUserAccountId`, 'must not name an account twice');
    }
    seen.add(endUserAccountId);
  }
  const participants = given.map(({ endUserAccountId, calendarIds }) => ({
    accountId: endUserAccountId,
    calendarIds: [...new Set(calendarIds)],
  }));
  if (participants.reduce((sum, { calendarIds }) => sum + calendarIds.length, 0) > MOST_HOLD_CALENDARS) {
    throw invalid('participants', `must name at most ${MOST_HOLD_CALENDARS} calendars in all`);
  }
  return participants;
}
