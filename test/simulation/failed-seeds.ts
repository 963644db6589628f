import type { ProviderName } from './provider-acts.ts';

/** A history that did not hold once, and the fault that it found. */
export interface FailedSeed {
  readonly provider: ProviderName;
  readonly seed: number;
  readonly found: string;
}

/**
 * Seeds whose histories have found a fault. After changes a seed plays another history, so each fault has a regression test besides;
 * a seed that has failed is kept all the same: it meets rare things.
 */
export const FAILED_SEEDS: readonly FailedSeed[] = [
  { provider: 'caldav', seed: 9, found: 'small edits that cost full pulls' },
  { provider: 'google', seed: 10, found: 'a tentative event that stayed' },
  { provider: 'google', seed: 87, found: 'a search that failed on parts of a millisecond' },
  { provider: 'microsoft', seed: 1018, found: 'a removal behind a refused feed, mirrored a day late' },
  { provider: 'google', seed: 31_150, found: 'the event of an expired hold, written by a suspended process' },
  { provider: 'google', seed: 33_798, found: 'a read without an asker, which stood still for ever' },
  { provider: 'microsoft', seed: 5, found: 'a due time with parts of a millisecond, due again at once' },
  { provider: 'microsoft', seed: 198, found: 'an event that was moved back from its booking' },
  { provider: 'microsoft', seed: 628, found: 'a creation that was never settled, its event unreadable' },
  { provider: 'microsoft', seed: 34_520, found: 'the event of an expired hold whose process died after the write' },
  {
    provider: 'microsoft',
    seed: 38_858,
    found: 'the event of a creation that another process had settled, which no pull asked for',
  },
  { provider: 'caldav', seed: 110, found: 'an earlier text under the tag of a later change' },
  { provider: 'caldav', seed: 551, found: 'a re-read of an id without an object, which failed every pull' },
  { provider: 'caldav', seed: 1226, found: 'an event of our own, deleted before the next list' },
  { provider: 'caldav', seed: 1264, found: 'an outage at the reading of a deleted object, taken for unreadable' },
  { provider: 'caldav', seed: 31_966, found: 'a change that a failing reading put off to the next reconciliation' },
];
