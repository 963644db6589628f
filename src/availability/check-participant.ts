import type { Slot } from '../free-busy/index.ts';
import { BUSY_KINDS, type BusyInterval, type Participant } from './availability-query.ts';
import { checkRules } from './check-rules.ts';
import { checkChoice, checkEach, checkList, checkSlot, checkWhole, refuseUnless } from './check-values.ts';

const MOST_WEIGHT = 1000;
/** Products with weights stay exact. */
const MOST_ASSIGNMENTS = 1e9;

/** Checks a participant but for its id and zone. */
export function checkParticipant(field: string, participant: Participant): void {
  refuseUnless(typeof participant === 'object' && participant !== null, field, 'must be a participant');
  const { role, busy, bookings, assignments, lastAssignedMs, weight } = participant;
  checkChoice(`${field}.role`, role, ['required', 'optional', 'host']);
  checkList(`${field}.busy`, busy);
  checkEach(`${field}.busy`, busy, checkInterval);
  checkList(`${field}.bookings`, bookings ?? []);
  checkEach(`${field}.bookings`, bookings ?? [], checkBooking);
  if (assignments !== undefined) checkWhole(`${field}.assignments`, assignments, 0, MOST_ASSIGNMENTS);
  if (lastAssignedMs !== undefined) checkWhole(`${field}.lastAssignedMs`, lastAssignedMs);
  if (weight !== undefined) checkWhole(`${field}.weight`, weight, 1, MOST_WEIGHT);
  checkRules(field, participant);
}

function checkInterval(interval: BusyInterval): void {
  checkSlot('', interval);
  checkChoice('.type', interval.type, BUSY_KINDS);
  checkChoice('.isAllDay', interval.isAllDay, [true, false]);
}

function checkBooking(booking: Slot): void {
  checkSlot('', booking);
  refuseUnless(booking.endMs > booking.startMs, '.endMs', 'must be after startMs');
}
