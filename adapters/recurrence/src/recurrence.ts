import type { Language } from '../../../src/describe/index.ts';
import type { GapPolicy, RecurrenceRule, Series } from '../../../src/recurrence/index.ts';
import type { Questions } from './questions.ts';
import type { ResultForms, TemporalClass } from './result-form.ts';
import type { Start } from './start.ts';

/**
 * A recurrence with its start: immutable, compiled once, for any number of questions. Their cost depends on the occurrences that
 * they return, not on the distance from the start.
 */
export interface Recurrence<Value = Date> extends Questions<Value> {
  /** Local time of the start, `2026-01-05T09:00:00`, or a date for an all-day recurrence. */
  readonly start: string;
  /** The IANA name; null for a floating recurrence; the TZID of a VTIMEZONE that stands for no known zone. */
  readonly timeZone: string | null;
  readonly isAllDay: boolean;
  /** Whether every rule has a COUNT or an UNTIL. */
  readonly isFinite: boolean;
  /** RRULE, EXRULE, RDATE and EXDATE lines. */
  readonly lines: readonly string[];
  /** The parsed rules. */
  readonly rules: readonly RecurrenceRule[];
  /** The compiled series, for windows of occurrences with their keys. */
  readonly series: Series;
  /**
   * Returns the same recurrence with results in another form.
   * @throws RecurrenceError for a form that the starts cannot have, such as a ZonedDateTime of a floating recurrence
   * @example
   * import { Temporal } from 'temporal-polyfill/full';
   *
   * const daily = recurrence({ start: '2026-03-01T09:00', timeZone: 'America/New_York', rule: { freq: 'daily' } });
   * daily.as('iso').after('2026-03-02'); // '2026-03-02T09:00:00-05:00'
   * daily.as(Temporal.ZonedDateTime).first();
   */
  as<Name extends keyof ResultForms>(form: Name): Recurrence<ResultForms[Name]>;
  as<Other>(type: TemporalClass<Other>): Recurrence<Other>;
  /** Returns the recurrence in words: `every week on Monday and Wednesday, 8 times`. */
  toText(language?: Language): string;
  /** Returns the content lines: DTSTART, then `lines`. `parseRecurrence` reads them back. */
  toString(): string;
}

/** The parts of a recurrence, read from any of its forms. */
export interface RecurrenceDefinition {
  readonly start: Start;
  readonly lines: readonly string[];
  readonly gap: GapPolicy | undefined;
  /** Lines of the VTIMEZONE that defines the zone. */
  readonly zoneLines: readonly string[];
}
