import type { ScheduleState } from '../ports/index.ts';

/** Time that a push may take: a change that a pull found before its push counts as announced until then. */
export const PUSH_GRACE_MS = 120_000;
/** Growth of the interval after a poll that found nothing unannounced. */
const GROWTH = 1.5;
/** A pull this soon after the one before, as a share of the shortest interval, says nothing about the channel. */
const TELLING_SHARE = 0.75;

/** Bounds of the interval of polls behind a live channel. */
export interface PollBounds {
  readonly shortestMs: number;
  readonly longestMs: number;
}

/** A pull, as far as it tells whether its channel misses changes. */
export interface PulledChannel {
  /** The schedule when the pull began. */
  readonly schedule: Pick<
    ScheduleState,
    'hintSeq' | 'clearedHintSeq' | 'repeatsLeft' | 'syncedAt' | 'pollEveryMs' | 'unannouncedAt'
  >;
  /** Opening of the oldest live channel. */
  readonly openedAt: number;
  /** Whether the provider's feed listed a change that the mirror did not have. */
  readonly hasFound: boolean;
  /** End of the pull. */
  readonly now: number;
}

export interface NextPolls {
  readonly everyMs: number;
  readonly unannouncedAt: number | null;
  /** A change was found, and no push announced it in time. */
  readonly isMissed: boolean;
}

/**
 * Chooses the interval of polls behind a live channel. It starts at the shortest, grows while every change that polls find
 * had been announced, and returns to the shortest when one had not.
 */
export function nextPolls({ schedule, openedAt, hasFound, now }: PulledChannel, bounds: PollBounds): NextPolls {
  const { hintSeq, clearedHintSeq, repeatsLeft, syncedAt, unannouncedAt } = schedule;
  const everyMs = Math.min(bounds.longestMs, Math.max(bounds.shortestMs, schedule.pollEveryMs ?? 0));
  const isAnnounced = hintSeq > clearedHintSeq || repeatsLeft > 0;
  if (isAnnounced) return { everyMs, unannouncedAt: null, isMissed: false };
  if (unannouncedAt !== null && now - unannouncedAt >= PUSH_GRACE_MS) {
    return { everyMs: bounds.shortestMs, unannouncedAt: null, isMissed: true };
  }
  if (unannouncedAt !== null) return { everyMs, unannouncedAt, isMissed: false };
  // A change from before the channel needed no push.
  const isCovered = syncedAt !== null && openedAt <= syncedAt;
  if (hasFound) return { everyMs, unannouncedAt: isCovered ? now : null, isMissed: false };
  const isTelling = isCovered && now - syncedAt >= bounds.shortestMs * TELLING_SHARE;
  return {
    everyMs: isTelling ? Math.min(bounds.longestMs, Math.floor(everyMs * GROWTH)) : everyMs,
    unannouncedAt: null,
    isMissed: false,
  };
}
