import { fragment } from '../statements/statement.ts';

const DAY_MS = 86_400_000;

/** Greatest length of the ranges of each class. The last class has those that are longer, or endless. */
export const RANGE_CLASSES = [3 * DAY_MS, 40 * DAY_MS, 400 * DAY_MS] as const;

const CLASS = `(case when range_end is null then ${RANGE_CLASSES.length} ${RANGE_CLASSES.map(
  (length, index) => `when range_end - range_start <= ${length} then ${index}`,
).join(' ')} else ${RANGE_CLASSES.length} end)`;

/** Class of a version's range, with the very text of the index: the databases compare it. */
export const rangeClass = fragment(CLASS);

/** Windows up to this length are read by the index; in wider ones reading in the order of ids finds items sooner. */
export const NARROW_WINDOW_MS = 100 * DAY_MS;
