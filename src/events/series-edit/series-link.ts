/** Private extended property of the later half of a split series: the id of the series it was split from. */
export const FOLLOWS = 'kalends.follows';
/** Private extended property of the earlier half: the id of the series that goes on where it ends. */
export const FOLLOWED_BY = 'kalends.followedBy';

/** The properties that link the halves. They are about a series and never about one of its occurrences. */
export const LINK_KEYS: ReadonlySet<string> = new Set([FOLLOWS, FOLLOWED_BY]);
