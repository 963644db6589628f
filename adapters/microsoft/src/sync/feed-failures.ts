/** Failures of one calendar's feed in a row after which it counts as refused. A single outage is waited out. */
const MOST_FAILURES = 3;

/** Most calendars counted; beyond it the oldest count is forgotten. */
const MOST_CALENDARS = 1_000;

/** Counts the outages of change feeds in this process. */
export interface FeedFailures {
  /** Counts a failure; returns true when the feed has failed again and again. */
  isRefused(key: string): boolean;
  forget(key: string): void;
}

export function createFeedFailures(): FeedFailures {
  const counts = new Map<string, number>();
  return {
    isRefused(key) {
      const count = (counts.get(key) ?? 0) + 1;
      counts.delete(key);
      if (count >= MOST_FAILURES) return true;
      counts.set(key, count);
      const [oldest] = counts.keys();
      if (counts.size > MOST_CALENDARS && oldest !== undefined) counts.delete(oldest);
      return false;
    },
    forget: (key) => void counts.delete(key),
  };
}
