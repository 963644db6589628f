import type { CalendarEvent } from '../../model/index.ts';
import type { UnreadableObject } from './unreadable-object.ts';

/**
 * Content of an event as the public interface shows it, without the fields that the engine derives
 * (id, etag, isRecurring, isException, isCancelled, recurringEventId, originalStart).
 * Timed: `start.dateTime` carries the offset of `start.timeZone` (the event's own zone, as the user spelled it). A series whose
 * first start or end the clocks skip may have it as it is meant, with the offset before the gap (`2026-03-08T02:30:00-05:00`
 * in New York, the instant of 03:30): its other occurrences are at that time. An end is that of the first occurrence.
 * All-day: `dateTime` is `YYYY-MM-DDT00:00:00`, end exclusive, and `timeZone` is the empty string: the engine shows the
 * calendar's zone there. Recurring: `recurrence` holds RFC 5545 lines, evaluated as wall time in `start.timeZone`.
 */
export type EventContent = Omit<
  CalendarEvent,
  'id' | 'etag' | 'isRecurring' | 'isException' | 'isCancelled' | 'recurringEventId' | 'originalStart'
>;

/** Slot of a series: an instant (epoch ms) of a timed series, or a date of an all-day series. */
export type RecurrenceId =
  | { readonly kind: 'instant'; readonly startMs: number }
  | { readonly kind: 'date'; readonly date: string };

/**
 * Fields written to an exception itself, among those that the provider copies from the series: whether its custom colour
 * was, and which keys of its extended properties, removed ones included.
 */
export interface EventOverrides {
  readonly customColor: boolean;
  readonly publicExtendedProperties: readonly string[];
  readonly privateExtendedProperties: readonly string[];
}

/** A field of an event that no write could repeat as it is. */
export interface UncopyableField {
  readonly field: keyof EventContent;
  /** Shown to callers behind the field's name. Names no value. */
  readonly reason: string;
  /**
   * Stands for its value at the provider. An exception in the state of its series takes the field from there when it is written anew.
   * @default it may differ from that of the series
   */
  readonly state?: string;
}

/** Parts of an object beside the fields of the interface. */
export type Untold = Readonly<Record<string, unknown>>;

/** A single event, a series master or an exception, mapped. */
export interface ProviderEvent {
  /** The provider's id of this object; for exceptions the instance's id. */
  readonly providerEventId: string;
  /** ETag or changeKey. */
  readonly providerTag: string | null;
  /** Provider id of the series master for exceptions and orphan instances, else null. */
  readonly seriesId: string | null;
  /** Set exactly when seriesId is. */
  readonly recurrenceId: RecurrenceId | null;
  /** True for a cancelled meeting that is still shown, and for a cancelled occurrence. */
  readonly isCancelled: boolean;
  /** Null for a cancelled occurrence that the provider keeps as a stub only. */
  readonly content: EventContent | null;
  /**
   * For an exception: which copied fields are its own. The others in `content` are copies that the provider does not update,
   * so the engine shows the series' values. Absent: all of `content` counts.
   */
  readonly overrides?: EventOverrides;
  /** True when the account is the organizer and may change the main fields. */
  readonly isOrganizer: boolean;
  /**
   * True for a local-only record: the provider has put the object away (Graph moves a declined event to the deleted items).
   * Pulls and sweeps that report it as `deleted`, or as a stub in its slot, leave it in place. It stays until we delete it or
   * the provider shows the object with content again.
   */
  readonly isKeptLocally?: boolean;
  /** Parts left out because they cannot be read, such as a rule line: field and rule of each. Not part of the etag. */
  readonly unreadableParts?: readonly string[];
  /**
   * Fields that a write could not repeat as they are, such as a guest list that the provider shows in part. An edit that would create
   * the event or an exception anew is refused, naming the first. It counts in fresh answers: not stored, not part of the etag.
   */
  readonly uncopyable?: readonly UncopyableField[];
  /**
   * Parts that no field tells, by names of the adapter's own, JSON. An occurrence that is written anew gets back those that differ from its
   * series' by `WriteOptions.untold`. It counts in fresh answers: not stored, not part of the etag.
   */
  readonly untold?: Untold;
  /** Data that the adapter needs to write this event, opaque to the engine. Not part of the etag. */
  readonly providerData?: Readonly<Record<string, unknown>>;
}

export type EventChange =
  /** A single object. */
  | { readonly kind: 'event'; readonly event: ProviderEvent }
  /** A whole series: exceptions in the mirror that are not listed here are gone, except unreadable ones. */
  | {
      readonly kind: 'series';
      readonly master: ProviderEvent;
      readonly exceptions: readonly ProviderEvent[];
      readonly unreadable?: readonly UnreadableObject[];
    }
  /** An object that cannot be read; of a master, the whole series stays as it is. */
  | UnreadableObject
  /**
   * The single event or the whole series was deleted, its exceptions too. An exception that outlives its series follows this change.
   * `exceptionsMayStay`: the series was read alone, so that its exceptions are unknown. The engine keeps them until it has read each
   * of them. @default false
   */
  | { readonly kind: 'deleted'; readonly providerEventId: string; readonly exceptionsMayStay?: boolean }
  /** The provider named an object without its state: the engine reads it with `get`. */
  | { readonly kind: 'reread'; readonly providerEventId: string };

export interface EventPage {
  readonly changes: readonly EventChange[];
  /** True when the pages of this pull list all events; `get` confirms that a missing one is gone. */
  readonly full: boolean;
  /** The calendar's zone, when the page names one that is known. */
  readonly calendarTimeZone?: string;
  /**
   * Its requests began with those of the page before it, or later: what was written meanwhile is newer. @default they began when the page was
   * asked for
   */
  readonly isAskedAhead?: boolean;
  /** Resume point of the next pull, on the last page only. */
  readonly nextToken?: string;
  /**
   * On the last page of a pull that left a source of changes out: when the source asked longest ago was asked, epoch ms. The
   * mirror may lack changes since then. @default the start of the pull
   */
  readonly completeAt?: number;
  /** The provider was not asked, by its own wish: the mirror stays as old as it is. @default false */
  readonly isUnasked?: boolean;
}
