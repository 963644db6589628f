import type { RecurrenceDate } from '../recurrence/index.ts';
import type { RuleFacts } from './rule-facts.ts';

/** The parts of a recurrence, with its rules in words. */
export interface RecurrenceWords {
  readonly rules: readonly string[];
  readonly exceptionRules: readonly string[];
  readonly dates: readonly RecurrenceDate[];
  readonly exceptionDates: readonly RecurrenceDate[];
}

/**
 * Words and grammar of one language. Rules that mean different slots must have different words; `english` is tested for that
 * by the slots of rules whose words are alike.
 */
export interface Language {
  /** Puts a rule into words that can stand alone: `every week on Monday`. */
  rule(facts: RuleFacts): string;
  /** Joins the rules and dates of one event; the empty string for none. */
  recurrence(words: RecurrenceWords): string;
}
