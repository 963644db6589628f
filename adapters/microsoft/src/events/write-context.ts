import type { CalendarRef } from 'kalends/ports';
import type { SeriesStart, ShownRecurrence } from './event-recurrence.ts';
import type { WireEvent } from './event-wire.ts';
import type { ZoneNaming } from './event-zones.ts';
import type { KeptProperties } from './kept-properties.ts';

/** What a master shows before it is written. */
interface ShownSeries {
  readonly start: SeriesStart;
  readonly recurrence: ShownRecurrence;
}

/** What a patch is laid over. */
export interface WriteContext {
  readonly calendar: CalendarRef;
  /** The event as it stands, read just now; null for a new one. */
  readonly before: WireEvent | null;
  /** Of an exception: what Graph keeps with it, where `before` says what it shows beside its series. */
  readonly stored?: KeptProperties | undefined;
  /** For a master: what its recurrence shows now. */
  readonly series?: ShownSeries | undefined;
  /** The body as HTML, where the description of an online meeting changes. */
  readonly htmlBody?: string | undefined;
  readonly naming: ZoneNaming;
  /** The account's own address. */
  readonly ownAddress?: string | undefined;
}
