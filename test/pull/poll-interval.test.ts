import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextPolls, PUSH_GRACE_MS } from '../../src/pull/poll-interval.ts';
import { sizeOf } from '../size-of.ts';

const MINUTE_MS = 60_000;
const BOUNDS = { shortestMs: 15 * MINUTE_MS, longestMs: 360 * MINUTE_MS };
const RUNS = sizeOf('runs', { short: 300, long: 5_000 });

/** One pull as seen from outside: what went before it, and what it found. */
interface Pull {
  readonly afterMs: number;
  /** A push arrived since the pull before. */
  readonly isPushed: boolean;
  readonly hasFound: boolean;
}

const pulls = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.integer({ min: 1_000, max: 300_000 }), fc.integer({ min: 300_000, max: 40_000_000 })),
    isPushed: fc.boolean(),
    hasFound: fc.boolean(),
  }),
  { maxLength: 40 },
);

/** Plays pulls one after the other, as the runner does. */
function play(history: readonly Pull[]) {
  let now = 1_000_000;
  let hintSeq = 0;
  let schedule = {
    hintSeq: 0,
    clearedHintSeq: 0,
    repeatsLeft: 0,
    syncedAt: now as number | null,
    pollEveryMs: null as number | null,
    unannouncedAt: null as number | null,
  };
  return history.map(({ afterMs, isPushed, hasFound }) => {
    now += afterMs;
    if (isPushed) hintSeq += 1;
    const next = nextPolls({ schedule: { ...schedule, hintSeq }, openedAt: 0, hasFound, now }, BOUNDS);
    schedule = {
      ...schedule,
      hintSeq,
      clearedHintSeq: hintSeq,
      syncedAt: now,
      pollEveryMs: next.everyMs,
      unannouncedAt: next.unannouncedAt,
    };
    return next;
  });
}

/**
 * The obvious model: it looks at the whole history for each pull. A finding is missed when no push came before the first pull
 * that ends PUSH_GRACE_MS or more after it. The interval has grown once for each telling pull since the last miss.
 */
function model(history: readonly Pull[]) {
  const endedAt = history.map((_, index) => history.slice(0, index + 1).reduce((sum, { afterMs }) => sum + afterMs, 0));
  const missedAt = new Set<number>();
  const waiting = new Set<number>();
  for (let found = 0; found < history.length; found += 1) {
    const { hasFound, isPushed } = history[found]!;
    if (!hasFound || isPushed || waiting.has(found) || missedAt.has(found)) continue;
    for (let later = found + 1; later < history.length; later += 1) {
      if (history[later]!.isPushed) break;
      if (endedAt[later]! - endedAt[found]! >= PUSH_GRACE_MS) {
        missedAt.add(later);
        break;
      }
      waiting.add(later);
    }
    waiting.add(found);
  }
  return history.map((_, index) => {
    const lastMiss = Math.max(-1, ...[...missedAt].filter((miss) => miss <= index));
    const telling = history.slice(lastMiss + 1, index + 1).filter(({ afterMs, isPushed, hasFound }, offset) => {
      const isQuiet = !isPushed && !hasFound && !waiting.has(lastMiss + 1 + offset);
      return isQuiet && afterMs >= BOUNDS.shortestMs * 0.75;
    });
    let everyMs = BOUNDS.shortestMs;
    for (const _ of telling) everyMs = Math.min(BOUNDS.longestMs, Math.floor(everyMs * 1.5));
    return { everyMs, isMissed: missedAt.has(index) };
  });
}

describe('the interval of polls behind a living channel', () => {
  test('is that of the obvious model, for any history', () => {
    fc.assert(
      fc.property(pulls, (history) => {
        const played = play(history).map(({ everyMs, isMissed }) => ({ everyMs, isMissed }));
        expect(played).toEqual(model(history));
      }),
      { numRuns: RUNS },
    );
  });

  test('grows from 15 minutes to 6 hours within a day of silence', () => {
    let atMs = 0;
    let everyMs = BOUNDS.shortestMs;
    const steps: Pull[] = [];
    while (everyMs < BOUNDS.longestMs) {
      atMs += everyMs;
      steps.push({ afterMs: everyMs, isPushed: false, hasFound: false });
      everyMs = play(steps).at(-1)!.everyMs;
    }
    expect(atMs).toBeLessThan(24 * 60 * MINUTE_MS);
  });

  test('counts a change from before the channel as no miss', () => {
    const schedule = {
      hintSeq: 0,
      clearedHintSeq: 0,
      repeatsLeft: 0,
      syncedAt: 5,
      pollEveryMs: 40 * MINUTE_MS,
      unannouncedAt: null,
    };
    const found = nextPolls({ schedule, openedAt: 6, hasFound: true, now: 9_000_000 }, BOUNDS);
    expect(found).toEqual({ everyMs: 40 * MINUTE_MS, unannouncedAt: null, isMissed: false });
  });
});
