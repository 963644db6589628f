/** Header with the time at which the mirror last agreed with the provider. */
export const SYNCED_AT_HEADER = 'x-kalends-synced-at';

/** Header with the longest time between two background polls, in seconds: how old a mirror can become unread. */
export const POLL_INTERVAL_HEADER = 'x-kalends-poll-interval';
