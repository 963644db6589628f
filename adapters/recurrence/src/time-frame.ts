import { RecurrenceError } from '../../../src/recurrence/index.ts';
import { DAY_MS, formatDate, formatWall, instantOf, type Zones } from '../../../src/zones/index.ts';
import type { ReadMoment } from './moment.ts';

/** How the times of a series are read. */
export interface TimeFrame {
  readonly isAllDay: boolean;
  /** Null for a floating series, whose times are local everywhere. */
  readonly timeZone: string | null;
  readonly zones: Zones;
}

/**
 * Returns a moment as the starts of a series are counted: an instant in a zone; wall time as if in UTC for a floating or all-day
 * series, where a Date counts by its UTC fields.
 * @throws RecurrenceError naming `part` for an instant that a floating or all-day series cannot place
 */
export function positionOf(moment: ReadMoment, { isAllDay, timeZone, zones }: TimeFrame, part: string): number {
  if (isAllDay || timeZone === null) {
    if (moment.kind === 'local') return moment.wallMs;
    if (moment.isUtc) return moment.ms;
    const kind = isAllDay ? 'an all-day' : 'a floating';
    throw new RecurrenceError(part, `${kind} series has no instants; give local time such as 2026-03-01T09:00`);
  }
  return moment.kind === 'local' ? instantOf(timeZone, moment.wallMs, zones) : moment.ms;
}

/**
 * Returns a moment as RFC 5545 writes it in UNTIL, RDATE and EXDATE of a series: a date, local time for a floating series, UTC in
 * a zone.
 * @throws RecurrenceError naming `part` for a moment that the series cannot have
 */
export function stampOf(moment: ReadMoment, frame: TimeFrame, part: string): string {
  const at = positionOf(moment, frame, part);
  const isDate = moment.kind === 'local' && moment.dateOnly;
  if (frame.isAllDay && at % DAY_MS !== 0) {
    throw new RecurrenceError(part, 'an all-day series has dates only, such as 2026-03-01');
  }
  if (frame.isAllDay || isDate) return basic(formatDate(isDate ? moment.wallMs : at));
  return basic(formatWall(at)) + (frame.timeZone === null ? '' : 'Z');
}

/** Returns `20260301T090000` for `2026-03-01T09:00:00`. */
export function basic(text: string): string {
  return text.replaceAll(/[-:]/g, '');
}
