import type { ContinuedSeries, NewEvent } from 'kalends/ports';
import { markup } from './description.ts';
import { dateOfSlotStart, slotOfInstance } from './event-reading.ts';
import type { WireMaster } from './event-wire.ts';
import { shownDescription } from './event-writing.ts';
import { withExceptionBodies } from './series-repair.ts';
import type { UpdateContext } from './update-context.ts';

/** Content of a series that no field tells, for a new event that continues it. */
export interface ContinuedContent {
  /** The description in HTML, where the new event has the same one. */
  readonly htmlBody?: string | undefined;
  readonly importance?: string | undefined;
}

/** A series that a new event continues, with the exceptions that the new event gets. */
export interface Continued extends ContinuedContent {
  readonly series: WireMaster;
}

/** Reads a series for a new event that continues it from a slot on; undefined when it is gone. */
export async function readContinued(
  { store, read }: UpdateContext,
  { seriesId, recurrenceId }: ContinuedSeries,
  input: NewEvent,
): Promise<Continued | undefined> {
  const master = await store.findMaster(seriesId);
  if (master === undefined) return undefined;
  const isSaid = Boolean(input.description) && input.description === shownDescription(master);
  const from = dateOfSlotStart(recurrenceId, master, read);
  // Under other times the slots are others too: the engine alone knows their counterparts.
  const exceptions = startsAt(input, recurrenceId) ? (master.exceptionOccurrences ?? []) : [];
  const kept = exceptions.filter((wire) => dateOfSlotStart(slotOfInstance(wire, master, read), master, read) >= from);
  return {
    htmlBody: isSaid ? markup(await store.readBody(seriesId, 'html'), master) : undefined,
    importance: master.importance ?? undefined,
    series: await withExceptionBodies(store, { ...master, exceptionOccurrences: kept }),
  };
}

function startsAt({ start, recurrence }: NewEvent, slot: ContinuedSeries['recurrenceId']): boolean {
  if (!recurrence || recurrence.length === 0) return false;
  return slot.kind === 'instant' ? Date.parse(start.dateTime) === slot.startMs : start.dateTime.startsWith(slot.date);
}
