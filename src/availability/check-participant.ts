import { BUSY_KINDS, type Participant } from './availability-query.ts';
import { checkRules } from './check-rules.ts';
import { checkChoice, checkList, checkSlot, checkWhole, refuseUnless } from './check-values.ts';

const MOST_WEIGHT = 1000;
/** Products with weights stay exact. */
const MOST_ASSIGNMENTS = 1e9;

/** Checks a participant but for its id and zone. */
export function checkParticipant(field: string, participant: Participant): void {
  refuseUnless(typeof participant === 'object' && participant !== null, field, 'must be a participant');
  const { role, busy, bookings, assignments, lastAssignedMs, weight } = participant;
  checkChoice(`${field}.role`, role, ['required', 'optional', 'host']);
  checkList(`${field}.busy`, busy);
  for (const [index, interval] of busy.entries()) {
    checkSlot(`${field}.busy[${index}]`, interval);
    checkChoice(`${field}.busy[${index}].type`, interval.type, BUSY_KINDS);
    checkChoice(`${field}.busy[${index}].isAllDay`, interval.isAllDay, [true, false]);
  }
  checkList(`${field}.bookings`, bookings ?? []);
  for (const [index, booking] of (bookings ?? []).entries()) {
    const path = `${field}.bookings[${index}]`;
    checkSlot(path, booking);
    refuseUnless(booking.endMs > booking.startMs, `${path}.endMs`, 'must be after startMs');
  }
  if (assignments !== undefined) checkWhole(`${field}.assignments`, assignments, 0, MOST_ASSIGNMENTS);
  if (lastAssignedMs !== undefined) checkWhole(`${field}.lastAssignedMs`, lastAssignedMs);
  if (weight !== undefined) checkWhole(`${field}.weight`, weight, 1, MOST_WEIGHT);
  checkRules(field, participant);
}
