import type { EventContent, RecurrenceId } from '../../ports/index.ts';
import { compileSeries, type Occurrence, occurrenceEnd, recurrenceIdMs, wallLength } from '../../recurrence/index.ts';
import { formatDate, formatInstant, instantOf, wallAt, wallOfText } from '../../zones/index.ts';
import { type IcsComponent, propertyOf } from '../text/component.ts';
import type { IcsEvent } from './read-event.ts';
import type { MasterReading } from './read-master.ts';

/** Most occurrences of one series that are read out of changes of this and following. */
const MOST = 1_000;

/** Says of a series whose changes reach further what is left out. */
export const FOLLOWING_CUT = `RECURRENCE-ID: RANGE=THISANDFUTURE reaches ${MOST} occurrences at most`;

/** Returns whether a component changes its occurrence and all following ones (RFC 5545 §3.2.13). */
export function isOfFollowing(component: IcsComponent): boolean {
  return propertyOf(component, 'recurrence-id')?.parameters['range']?.toUpperCase() === 'THISANDFUTURE';
}

/** The following occurrences of changes of this and following. */
export interface FollowingReading {
  /** An exception for each occurrence, in order. */
  readonly exceptions: readonly IcsEvent[];
  /** Whether the changes reach further than what is read. */
  readonly isCut: boolean;
}

/**
 * Reads changes of this and following occurrences into exceptions: each reaches as far as the next. An occurrence moves by as much
 * wall-clock time as the changed one did, and has its length (RFC 5545 §3.8.4.4).
 */
export function readFollowing(
  changes: readonly IcsEvent[],
  { event: { content }, start }: MasterReading,
): FollowingReading {
  if (content?.recurrence == null) return { exceptions: [], isCut: false };
  const zone = content.isAllDay ? null : start.timeZone;
  const series = compileSeries({ dtstart: start.wall, timeZone: zone, lines: content.recurrence });
  const slots = changes
    .flatMap((change) => (change.recurrenceId === null ? [] : [{ change, at: recurrenceIdMs(change.recurrenceId) }]))
    .toSorted((one, other) => one.at - other.at);
  const exceptions: IcsEvent[] = [];
  for (const [index, { change, at }] of slots.entries()) {
    const left = MOST - exceptions.length;
    const to = slots[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    const changed = series.slotAt(at) ?? { startMs: at, wallMs: zone === null ? at : wallAt(zone, at) };
    const following = series.occurrences({ from: at + 1, to, limit: left + 1 });
    for (const slot of following.slice(0, left)) exceptions.push(changedAt(change, changed, slot, zone));
    if (following.length > left) return { exceptions, isCut: true };
  }
  return { exceptions, isCut: false };
}

/** The change of the occurrence `at`, made to the occurrence `slot` of a series in this zone, null for one of days. */
function changedAt(change: IcsEvent, at: Occurrence, slot: Occurrence, zone: string | null): IcsEvent {
  const recurrenceId: RecurrenceId =
    zone === null ? { kind: 'date', date: formatDate(slot.startMs) } : { kind: 'instant', startMs: slot.startMs };
  if (change.content === null) return { ...change, recurrenceId };
  return { ...change, recurrenceId, content: moved(change.content, at, slot, zone) };
}

/** Moves the event of one slot to another by wall-clock time of a zone, of its own where that is null. */
function moved(content: EventContent, from: Occurrence, to: Occurrence, zone: string | null): EventContent {
  const { start, end } = content;
  const byMs = to.wallMs - from.wallMs;
  if (content.isAllDay) {
    const day = ({ dateTime }: { readonly dateTime: string }) => ({
      dateTime: `${formatDate(wallOfText(dateTime) + byMs)}T00:00:00`,
      timeZone: '',
    });
    return { ...content, start: day(start), end: day(end) };
  }
  const inZone = zone ?? start.timeZone;
  const [startMs, endMs] = [Date.parse(start.dateTime), Date.parse(end.dateTime)];
  // At its slot it begins when the slot does, by whose own time a gap may have shifted it.
  const wallMs = startMs === from.startMs && zone !== null ? from.wallMs : wallAt(inZone, startMs);
  const movedMs = instantOf(inZone, wallMs + byMs);
  const at = ({ timeZone }: { readonly timeZone: string }, epochMs: number) => ({
    dateTime: formatInstant(timeZone, epochMs),
    timeZone,
  });
  const length = wallLength(start.timeZone, startMs, endMs);
  return { ...content, start: at(start, movedMs), end: at(end, occurrenceEnd(start.timeZone, movedMs, length)) };
}
