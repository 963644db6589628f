import type { CalendarRef } from 'kalends/ports';
import type { SeriesStart, ShownRecurrence } from './event-recurrence.ts';
import type { WireEvent } from './event-wire.ts';
import type { ZoneNaming } from './event-zones.ts';
import type { KeptProperties } from './kept-properties.ts';

/** Recurrence of a master before a write. */
interface ShownSeries {
  readonly start: SeriesStart;
  readonly recurrence: ShownRecurrence;
}

/** State under a patch. */
export interface WriteContext {
  readonly calendar: CalendarRef;
  /** The event as just read; null for a new one. */
  readonly before: WireEvent | null;
  /** Of an exception: its stored properties, where `before` has those shown. */
  readonly stored?: KeptProperties | undefined;
  /** For a master: its present recurrence. */
  readonly series?: ShownSeries | undefined;
  /** The body as HTML, where the description of an online meeting changes, an event with another description becomes one, or a new event repeats it. */
  readonly htmlBody?: string | undefined;
  readonly naming: ZoneNaming;
  /** The account's own address. */
  readonly ownAddress?: string | undefined;
}
