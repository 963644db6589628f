import type { UncopyableField } from 'kalends/ports';
import { PARTIAL_LIST } from './attendees.ts';
import type { WireEvent } from './event-wire.ts';

/** Returns the fields that an insert could not repeat as Google has them. */
export function readUncopyable(wire: WireEvent): readonly UncopyableField[] {
  return wire.attendeesOmitted === true ? [{ field: 'attendees', reason: PARTIAL_LIST }] : [];
}
