import type { CalendarEvent } from '../model/index.ts';

/**
 * Content of an event as the public interface shows it, without what the engine derives
 * (id, etag, isRecurring, isException, isCancelled, recurringEventId, originalStart).
 * Timed: `start.dateTime` carries the offset of `start.timeZone` (the event's own zone, as the user spelled it).
 * All-day: `dateTime` is `YYYY-MM-DDT00:00:00`, end exclusive, and `timeZone` is the empty string: the engine shows the
 * calendar's zone there. Recurring: `recurrence` holds RFC 5545 lines, evaluated as wall time in `start.timeZone`.
 */
export type EventContent = Omit<
  CalendarEvent,
  'id' | 'etag' | 'isRecurring' | 'isException' | 'isCancelled' | 'recurringEventId' | 'originalStart'
>;

/** Which slot of a series: an instant (epoch ms) of a timed one, or a date of an all-day one. */
export type SlotStart =
  | { readonly kind: 'instant'; readonly startMs: number }
  | { readonly kind: 'date'; readonly date: string };

/**
 * What was written to an exception, among the fields of which the provider keeps a full copy with it: whether its custom
 * colour was, and which keys of its extended properties, removed ones included.
 */
export interface EventOverrides {
  readonly customColor: boolean;
  readonly publicExtendedProperties: readonly string[];
  readonly privateExtendedProperties: readonly string[];
}

/** A single event, a series master or an exception, mapped. */
export interface ProviderEvent {
  /** The provider's own id of this object (for exceptions that of the instance). */
  readonly providerEventId: string;
  /** ETag or changeKey. */
  readonly providerTag: string | null;
  /** Provider id of the series master for exceptions and orphan instances, else null. */
  readonly seriesId: string | null;
  /** Set exactly when seriesId is. */
  readonly originalStart: SlotStart | null;
  /** A cancelled meeting that is still shown, or a cancelled occurrence. */
  readonly isCancelled: boolean;
  /** Null for a cancelled occurrence of which the provider only keeps a stub. */
  readonly content: EventContent | null;
  /**
   * Of an exception: what of these fields is its own. The rest of them in `content` is a copy that the provider does not keep
   * up to date, and the engine shows what the series says. Absent: all of `content` counts.
   */
  readonly overrides?: EventOverrides;
  /** True when the account organizes it and may change its main fields. */
  readonly isOrganizer: boolean;
  /**
   * True for a record that lives only here, because the provider has put the object away (Graph moves a declined event
   * to the deleted items). What a pull or a sweep says of it (`deleted`, a stub in its slot) is no news: it stays until
   * it is deleted by us or the provider shows the object again with content.
   */
  readonly isKeptLocally?: boolean;
  /** Which attendees are not required, by address in lower case; an event made after this one needs it. Part of no etag. */
  readonly attendeeKinds?: Readonly<Record<string, 'optional' | 'resource'>>;
  /** What the adapter needs again to write this event, opaque to the engine; part of no etag. */
  readonly providerData?: Readonly<Record<string, unknown>>;
}

export type EventChange =
  /** One object, on its own. */
  | { readonly kind: 'event'; readonly event: ProviderEvent }
  /** A series as a whole: whatever exceptions the mirror has beyond these are gone. */
  | { readonly kind: 'series'; readonly master: ProviderEvent; readonly exceptions: readonly ProviderEvent[] }
  /** The single event or the whole series is gone. */
  | { readonly kind: 'deleted'; readonly providerEventId: string }
  /** The provider named an object without saying what became of it: the engine reads it again with `get`. */
  | { readonly kind: 'reread'; readonly providerEventId: string };

export interface EventPage {
  readonly changes: readonly EventChange[];
  /** True when the pages of this pull list everything there is: what is not listed is gone once confirmed by `get`. */
  readonly full: boolean;
  /** The calendar's zone, when the page said it. */
  readonly calendarTimeZone?: string;
  /** Set on the last page only: resume point of the next pull. */
  readonly nextToken?: string;
}
