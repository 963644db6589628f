export { describeRecurrence } from './describe-recurrence.ts';
export { english } from './english.ts';
export type { Language, RecurrenceWords } from './language.ts';
export type { RuleFacts } from './rule-facts.ts';
