import { BUSY_TYPES, type BusyType } from '../model/index.ts';
import type { EventContent, ProviderEvent, RecurrenceId } from '../ports/index.ts';
import { resolveZone } from '../zones/index.ts';

/** When an event happens; the times of a series' first occurrence, and what recurs. */
export type EventTimes = Pick<EventContent, 'isAllDay' | 'start' | 'end' | 'recurrence'>;

/**
 * The part of a stored event that free/busy depends on. It lies beside the event, so that no content has to be read for it.
 * A plain busy event has its type alone, and its range of instants has its time.
 */
export interface BusyForm {
  /** The series; first, since storages know series by it. */
  readonly series?: EventTimes;
  /** The slot that an exception overrides. */
  readonly slot?: RecurrenceId;
  /** Absent: not busy, and only in the way of its slot. */
  readonly type?: BusyType;
  /** Where the range has not the exact time: it depends on the calendar's zone. */
  readonly times?: EventTimes;
}

/** Returns the kind of busy time of an event; undefined when it is not busy. */
export function busyTypeOf({
  showAs,
  transparency,
  myResponseStatus,
}: Pick<EventContent, 'showAs' | 'transparency' | 'myResponseStatus'>): BusyType | undefined {
  if (transparency !== 'opaque' || myResponseStatus === 'declined' || showAs === 'free') return undefined;
  return showAs;
}

/** Returns the busy text of an event; null when free/busy needs nothing of it. */
export function busyText({
  content,
  recurrenceId: slot,
  isCancelled,
}: Pick<ProviderEvent, 'content' | 'recurrenceId' | 'isCancelled'>): string | null {
  const type = content === null || isCancelled ? undefined : busyTypeOf(content);
  if (type === undefined || content === null) return slot === null ? null : JSON.stringify({ slot } satisfies BusyForm);
  const { isAllDay, start, end, recurrence } = content;
  const times = { isAllDay, start, end, recurrence };
  if (slot === null && recurrence !== null) return JSON.stringify({ series: times, type } satisfies BusyForm);
  const isRange = !isAllDay && recurrence === null && hasZone(start) && hasZone(end);
  if (slot === null && isRange) return type;
  return JSON.stringify({ ...(slot === null ? {} : { slot }), type, ...(isRange ? {} : { times }) } satisfies BusyForm);
}

/** Reads a busy text. It is trusted: only `busyText` creates it. */
export function busyForm(text: string): BusyForm {
  return PLAIN.get(text) ?? (JSON.parse(text) as BusyForm);
}

const PLAIN: ReadonlyMap<string, BusyForm> = new Map(BUSY_TYPES.map((type) => [type, { type }]));

function hasZone({ timeZone }: EventTimes['start']): boolean {
  return resolveZone(timeZone) !== undefined;
}
