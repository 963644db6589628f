export type { GapPolicy, Occurrence } from './occurrence.ts';
export {
  occurrenceId,
  parseOccurrenceId,
  type RecurrenceId,
  recurrenceIdMs,
  recurrenceIdText,
} from './occurrence-id.ts';
export { occurrenceEnd, seriesLength, wallLength } from './occurrence-length.ts';
export { allDayWallOf, type OverlaidSlot, type OverlayInput, overlay, type SeriesException } from './overlay.ts';
export { parseRecurrence, writtenLines } from './parse-lines.ts';
export { type LineLimits, type ReadableLines, readableLines } from './readable-lines.ts';
export { namedPart, RecurrenceError, RecurrenceLimit } from './recurrence-error.ts';
export type {
  Frequency,
  OrdinalWeekday,
  RecurrenceDate,
  RecurrenceLines,
  RecurrenceRule,
  RecurrenceTime,
} from './recurrence-rule.ts';
export { isSubDaily } from './recurrence-rule.ts';
export { leastStepMs, slotsPerDay } from './rule-density.ts';
export { serializeRecurrence, serializeRule } from './serialize-recurrence.ts';
export { compileSeries, type OccurrenceWindow, type Series } from './series.ts';
export type { SeriesDefinition } from './series-context.ts';
export { type SeriesHalf, type SeriesSplit, splitSeries } from './split-series.ts';
