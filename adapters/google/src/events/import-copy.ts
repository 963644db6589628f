import type { CalendarRef, ProviderSession } from 'kalends/ports';
import { isSequenceBelow } from '../transport/google-failure.ts';
import type { EventCalls } from './event-calls.ts';
import type { EventPull } from './event-pull.ts';
import type { WireEvent } from './event-wire.ts';
import type { WireBody } from './event-writing.ts';

/**
 * Imports an event. Google refuses one whose sequence is below that of the copy that it has, be it deleted: changes and the
 * deletion have raised it. Then the import goes out with the sequence of the copy.
 */
export async function importCopy(
  { calls, reading }: { readonly calls: EventCalls; readonly reading: EventPull },
  session: ProviderSession,
  calendar: CalendarRef,
  event: WireBody & { readonly iCalUID: string },
): Promise<WireEvent> {
  try {
    return await calls.import(session, calendar.id, event);
  } catch (error) {
    const id = isSequenceBelow(error) ? await reading.findIdByUid(session, calendar, event.iCalUID) : undefined;
    if (id === undefined) throw error;
    const { sequence } = await calls.get(session, calendar.id, id);
    return calls.import(session, calendar.id, { ...event, sequence });
  }
}
