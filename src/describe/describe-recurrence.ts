import { parseRecurrence } from '../recurrence/index.ts';
import { english } from './english.ts';
import type { Language } from './language.ts';
import { factsOf } from './rule-facts.ts';

/**
 * Describes the recurrence lines of an event in words: `every week on Monday and Wednesday, 8 times; except on March 2, 2026`.
 * Every part of a rule is in the words. The empty string without lines.
 * @param language words and grammar. @default english
 * @throws RecurrenceError naming the part that cannot be read.
 * @example describeRecurrence(['RRULE:FREQ=MONTHLY;BYDAY=-1FR']) // every month on the last Friday
 */
export function describeRecurrence(lines: readonly string[], language: Language = english): string {
  const { rules, exceptionRules, dates, exceptionDates } = parseRecurrence(lines);
  return language.recurrence({
    rules: rules.map((rule) => language.rule(factsOf(rule))),
    exceptionRules: exceptionRules.map((rule) => language.rule(factsOf(rule))),
    dates,
    exceptionDates,
  });
}
