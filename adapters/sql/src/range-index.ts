import { fragment } from './statement.ts';

const DAY_MS = 86_400_000;

/** Greatest length of the ranges of each class. What is longer, or endless, makes up the last class. */
export const RANGE_CLASSES = [3 * DAY_MS, 40 * DAY_MS, 400 * DAY_MS] as const;

const CLASS = `(case when range_end is null then ${RANGE_CLASSES.length} ${RANGE_CLASSES.map(
  (length, index) => `when range_end - range_start <= ${length} then ${index}`,
).join(' ')} else ${RANGE_CLASSES.length} end)`;

/** The class of a version's range, as the index has it: the databases compare the text. */
export const rangeClass = fragment(CLASS);

/** Windows up to this are read by the index; in wider ones the items in the order of their ids are met sooner. */
export const NARROW_WINDOW_MS = 100 * DAY_MS;
