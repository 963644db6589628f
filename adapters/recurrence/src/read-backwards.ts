import type { Occurrence, Series } from '../../../src/recurrence/index.ts';

/** Occurrences read at once. A fuller window is halved, an emptier one widened. */
const PAGE = 64;
const DAY_MS = 86_400_000;
/** The first window: for most rules one with a few occurrences. */
const FIRST_WIDTH_MS = 16 * DAY_MS;
/** Starts are whole seconds, so a window of this width has one at most. */
const LEAST_WIDTH_MS = 1_000;

/**
 * Yields the occurrences that start before `endMs`, descending, each computed when it is asked for. A series is read forwards
 * only, so each step reads a window before the last one; the work depends on the occurrences read, not on their number in all.
 */
export function* readBackwards(series: Series, endMs: number): Generator<Occurrence, undefined, undefined> {
  const firstMs = series.first()?.startMs;
  if (firstMs === undefined) return undefined;
  let width = FIRST_WIDTH_MS;
  for (let to = endMs; to > firstMs; ) {
    const from = Math.max(firstMs, to - width);
    const page = series.occurrences({ from, to, limit: PAGE });
    if (page.length === PAGE && to - from > LEAST_WIDTH_MS) {
      width = Math.max(LEAST_WIDTH_MS, Math.floor((to - from) / 2));
      continue;
    }
    yield* page.toReversed();
    to = from;
    if (page.length < PAGE / 4) width *= 2;
  }
  return undefined;
}
