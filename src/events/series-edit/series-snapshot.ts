import { compileMaster, type MasterSeries, namedSlot } from '../../mirror/index.ts';
import type { EventChange, EventContent, ProviderEvent, RecurrenceId, UnreadableObject } from '../../ports/index.ts';
import { allDayWallOf, type Occurrence, recurrenceIdMs } from '../../recurrence/index.ts';
import { counterpart, type SeriesBegin } from '../../recurrence/moves.ts';
import { DAY_MS, formatDate, instantOf, offsetAt, wallAt } from '../../zones/index.ts';
import { occurrenceContent } from '../read/occurrence-content.ts';

/** A series as its provider has it: the pre-image of an edit. JSON. */
export interface SeriesSnapshot {
  readonly master: ProviderEvent & { readonly content: EventContent };
  /** Modified and cancelled occurrences. */
  readonly exceptions: readonly ProviderException[];
  /** Occurrences of the series that cannot be read. */
  readonly unreadable?: readonly UnreadableObject[];
}

/** The provider's object for a slot of a series. */
export type ProviderException = ProviderEvent & { readonly recurrenceId: RecurrenceId };

/** The series in a provider's answer; undefined when it is gone, or no series any more. */
export function snapshotOf(changes: readonly EventChange[], seriesId: string): SeriesSnapshot | undefined {
  for (const change of changes) {
    if (change.kind !== 'series' || change.master.providerEventId !== seriesId) continue;
    const { master, exceptions, unreadable } = change;
    const { content } = master;
    if (content === null || content.recurrence === null) return undefined;
    return {
      master: { ...master, content },
      exceptions: exceptions.filter(isException),
      ...(unreadable === undefined ? {} : { unreadable }),
    };
  }
  return undefined;
}

function isException(event: ProviderEvent): event is ProviderException {
  return event.recurrenceId !== null;
}

/** Returns a snapshot as a change, for the mirror. */
export function changeOf(snapshot: SeriesSnapshot): EventChange {
  return { kind: 'series', ...snapshot };
}

/** The slots of a series. Their starts tell them apart, wall times find them in another shape of the series. */
export interface SlotTable {
  readonly compiled: MasterSeries;
  /** Whether an original start names a slot of the series. */
  has(originalStart: RecurrenceId): boolean;
  /** The slot that an original start names; where it names none, one at that time, or on that day. */
  slotOf(originalStart: RecurrenceId): Occurrence;
  /** The original start of a slot. */
  nameOf(slot: Occurrence): RecurrenceId;
  /** Returns the series' content at a slot. */
  contentAt(slot: Occurrence): EventContent;
  /** Where an occurrence of the series is to be found in this shape of it, whose first slot was at `began` before. */
  counterpart(slot: Occurrence, began: SeriesBegin): Occurrence | undefined;
}

/** Slots of a series with this content. `calendarZone` is where dates and instants are compared. */
export function slotTable(content: EventContent, calendarZone: string): SlotTable {
  const compiled = compileMaster(content);
  const { series, isAllDay } = compiled;

  return {
    compiled,
    has: (originalStart) => namedSlot(compiled, originalStart) !== undefined,
    slotOf: (originalStart) => namedSlot(compiled, originalStart) ?? nominalSlot(compiled, originalStart, calendarZone),
    nameOf: ({ startMs }) => (isAllDay ? { kind: 'date', date: formatDate(startMs) } : { kind: 'instant', startMs }),
    contentAt: (slot) => occurrenceContent({ content, compiled }, slot),
    counterpart: (slot, began) => counterpart(series, slot, began),
  };
}

/**
 * Finds the exception of a series in the slot that an original start names. Dates and times are never the same slot: what a provider
 * still has of a series that had times of day stands in no slot of one that lasts all day.
 */
export function exceptionFinder(
  { exceptions }: SeriesSnapshot,
  { slotOf }: SlotTable,
): (slot: RecurrenceId) => ProviderException | undefined {
  const key = (slot: RecurrenceId) => `${slot.kind} ${slotOf(slot).startMs}`;
  const found = new Map<string, ProviderException>();
  for (const exception of exceptions) {
    const own = key(exception.recurrenceId);
    if (!found.has(own)) found.set(own, exception);
  }
  return (slot) => found.get(key(slot));
}

function nominalSlot(
  { series, timeZone }: MasterSeries,
  originalStart: RecurrenceId,
  calendarZone: string,
): Occurrence {
  const ms = recurrenceIdMs(originalStart);
  if (timeZone === null) {
    const day = originalStart.kind === 'date' ? ms : allDayWallOf(ms, offsetAt(calendarZone, ms));
    return { startMs: day, wallMs: day };
  }
  if (originalStart.kind === 'instant') return { startMs: ms, wallMs: wallAt(timeZone, ms) };
  const wallMs = ms + (series.dtstartMs % DAY_MS);
  return series.slotOfWall(wallMs) ?? { startMs: instantOf(timeZone, wallMs), wallMs };
}
