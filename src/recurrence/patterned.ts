export { fromPatternedRecurrence, type PatternStart } from './from-patterned-recurrence.ts';
export type { GraphDay, GraphIndex, GraphPattern, GraphRange, PatternedRecurrence } from './graph-pattern.ts';
export { toPatternedRecurrence, UnrepresentableRecurrence } from './to-patterned-recurrence.ts';
