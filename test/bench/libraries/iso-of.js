import { DateTime } from 'luxon';

/** Turns instants into ISO texts, for libraries that have none with an offset. */
export const isoOf = (zone) => (ms) => DateTime.fromMillis(ms, { zone }).toISO({ suppressMilliseconds: true });
