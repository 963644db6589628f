/* Series that move: another start, the rule that goes with it, and where each occurrence is then. An entry of its own, which readers of series do without. */
export { counterpart, movesAlong, type SeriesBegin } from './counterpart.ts';
export { type SeriesStart, shiftedStart, shiftSeries } from './shift-series.ts';
