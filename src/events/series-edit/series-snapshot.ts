import { compileMaster, type MasterSeries } from '../../mirror/index.ts';
import type { EventChange, EventContent, ProviderEvent, RecurrenceId, UnreadableObject } from '../../ports/index.ts';
import { counterpart } from '../../recurrence/index.ts';
import { formatDate, instantOf } from '../../zones/index.ts';
import { nominalWall } from '../read/event-group.ts';
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

/** The slots of a series, named by their wall times in its zone (midnights for an all-day one). */
export interface SlotTable {
  readonly compiled: MasterSeries;
  /** The wall time that an original start names. */
  wallOf(slot: RecurrenceId): number;
  has(wallMs: number): boolean;
  /** The original start of the slot at a wall time. */
  slotAt(wallMs: number): RecurrenceId;
  /** Returns the series' content at the slot of a wall time. */
  contentAt(wallMs: number): EventContent;
  /** Where an occurrence of the series is to be found in this shape of it, whose first slot was at `beganMs` before. Wall times. */
  counterpart(wallMs: number, beganMs: number): number | undefined;
}

/** Slots of a series with this content. `calendarZone` is where dates and instants are compared. */
export function slotTable(content: EventContent, calendarZone: string): SlotTable {
  const compiled = compileMaster(content);
  const { series, isAllDay, timeZone } = compiled;
  const startOf = (wallMs: number) => (timeZone === null ? wallMs : instantOf(timeZone, wallMs));

  return {
    compiled,
    wallOf: (slot) => nominalWall({ compiled }, slot, calendarZone),
    has: (wallMs) => series.has(wallMs),
    slotAt: (wallMs) =>
      isAllDay ? { kind: 'date', date: formatDate(wallMs) } : { kind: 'instant', startMs: startOf(wallMs) },
    contentAt: (wallMs) => occurrenceContent({ content, compiled }, { startMs: startOf(wallMs), wallMs }),
    counterpart: (wallMs, beganMs) => counterpart(series, wallMs, beganMs),
  };
}
