export type PatternType =
  | 'daily'
  | 'weekly'
  | 'absoluteMonthly'
  | 'relativeMonthly'
  | 'absoluteYearly'
  | 'relativeYearly';

/** A pattern in the form of answers: it has every field, and unused ones are zero. */
export interface RecurrencePattern {
  readonly type: PatternType;
  readonly interval: number;
  readonly month: number;
  readonly dayOfMonth: number;
  readonly daysOfWeek: readonly string[];
  readonly firstDayOfWeek: string;
  readonly index: string;
}

export interface RecurrenceRange {
  readonly type: 'noEnd' | 'endDate' | 'numbered';
  readonly startDate: string;
  readonly endDate: string;
  readonly recurrenceTimeZone: string;
  readonly numberOfOccurrences: number;
}

export interface PatternedRecurrence {
  readonly pattern: RecurrencePattern;
  readonly range: RecurrenceRange;
}

/** A recurrence as a request may write it; enum values are in Graph's spelling already. */
export interface RecurrenceInput {
  readonly pattern: {
    readonly type: PatternType;
    readonly interval: number;
    readonly month?: number | null | undefined;
    readonly dayOfMonth?: number | null | undefined;
    readonly daysOfWeek?: readonly string[] | null | undefined;
    readonly firstDayOfWeek?: string | null | undefined;
    readonly index?: string | null | undefined;
  };
  readonly range: {
    readonly type: RecurrenceRange['type'];
    readonly startDate: string;
    readonly endDate?: string | null | undefined;
    readonly recurrenceTimeZone?: string | null | undefined;
    readonly numberOfOccurrences?: number | null | undefined;
  };
}
