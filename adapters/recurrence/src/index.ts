export type { Language } from '../../../src/describe/index.ts';
export {
  type Frequency,
  type GapPolicy,
  RecurrenceError,
  RecurrenceLimit,
  type RecurrenceRule,
  type Series,
} from '../../../src/recurrence/index.ts';
export type { Zones } from '../../../src/zones/index.ts';
export type { Limit } from './collect.ts';
export {
  type FromRRuleOptions,
  fromRRule,
  type RRuleDay,
  type RRuleLike,
  type RRuleOptions,
  type RRuleSetLike,
} from './from-rrule.ts';
export type { InstantLike, Moment, PlainLike } from './moment.ts';
export { type ParseOptions, parseRecurrence, type RecurrenceOptions } from './parse-recurrence.ts';
export type { Questions } from './questions.ts';
export type { Recurrence } from './recurrence.ts';
export { type RecurrenceObject, recurrence } from './recurrence-of.ts';
export type { LocalFields, ResultForms, TemporalClass } from './result-form.ts';
export type { RuleDay, RuleObject, WeekdayName } from './rule-text.ts';
