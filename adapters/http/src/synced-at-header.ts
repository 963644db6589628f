/** Header with the time at which the mirror last agreed with the provider. */
export const SYNCED_AT_HEADER = 'x-kalends-synced-at';
