import { RecurrenceError } from '../../../src/recurrence/index.ts';
import { parseDateTime } from '../../../src/zones/index.ts';

/** An instant of Temporal: `Temporal.Instant` or `Temporal.ZonedDateTime`. */
export interface InstantLike {
  readonly epochMilliseconds: number;
}

/** A local time of Temporal: `Temporal.PlainDateTime` or `Temporal.PlainDate`. */
export interface PlainLike {
  readonly monthCode: string;
  toString(options?: { calendarName?: 'never' }): string;
}

/**
 * A point in time as callers give it: an instant (a Date, epoch milliseconds, a text with `Z` or an offset, Temporal), or local
 * time of the series (`2026-03-01T09:00`, `2026-03-01`, Temporal's plain types).
 */
export type Moment = Date | number | string | InstantLike | PlainLike;

/** A moment that has been read. */
export type ReadMoment =
  | {
      readonly kind: 'instant';
      readonly ms: number /** As if in UTC: a Date, a number or `…Z`. */;
      readonly isUtc: boolean;
    }
  | { readonly kind: 'local'; readonly wallMs: number; readonly dateOnly: boolean };

/** The last instant of a Date, ECMA-262 §21.4.1.1. */
const LAST_MS = 8.64e15;

/** @throws RecurrenceError naming `part` for a moment that cannot be read */
export function readMoment(moment: Moment, part: string): ReadMoment {
  if (typeof moment === 'string') return readText(moment, part);
  if (typeof moment === 'number') return readInstant(moment, true, part);
  if (moment instanceof Date) return readInstant(moment.getTime(), true, part);
  if (typeof moment === 'object' && moment !== null) {
    if ('epochMilliseconds' in moment) return readInstant(Number(moment.epochMilliseconds), false, part);
    if ('monthCode' in moment) return readText(moment.toString({ calendarName: 'never' }), part);
  }
  throw new RecurrenceError(part, 'must be a Date, a number, a text or an object of Temporal');
}

function readInstant(ms: number, isUtc: boolean, part: string): ReadMoment {
  if (!(Math.abs(ms) <= LAST_MS)) throw new RecurrenceError(part, 'is an invalid Date or number');
  return { kind: 'instant', ms, isUtc };
}

function readText(text: string, part: string): ReadMoment {
  const written = parseDateTime(text);
  if (written === undefined) {
    throw new RecurrenceError(part, `"${text}" is no date or date-time such as 2026-03-01T09:00 or 2026-03-01T09:00Z`);
  }
  const { wallMs, offsetMs, dateOnly } = written;
  if (offsetMs === undefined) return { kind: 'local', wallMs, dateOnly };
  return { kind: 'instant', ms: wallMs - offsetMs, isUtc: offsetMs === 0 };
}
