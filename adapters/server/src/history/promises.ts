/** Promises of kalends that a client's history can show, by the id that reports name. */
export const PROMISES = {
  'copy-equals-list': 'A copy that every page of every sync result was applied to holds what a fresh list gives.',
  'record-once': 'A list or a sync result names each record once.',
  'one-moment': 'All pages of a list show the same moment.',
  'ends-with-token': 'Each page has a page token, and the last one a sync token instead.',
  'token-lives': 'A sync token that was given out is accepted for its whole lifetime.',
  'read-your-writes': 'An acknowledged write is in every later read, until a later change replaces it.',
  'deleted-stays-deleted': 'What was deleted does not come back as it was.',
  'no-going-back': 'No later read shows an older state of a record.',
  'etag-tells': 'Records with the same etag have the same content.',
  'create-once': 'Creations with one Idempotency-Key create one record.',
} as const;

export type PromiseId = keyof typeof PROMISES;

/** A promise that was not kept. */
export interface Violation {
  readonly promise: PromiseId;
  /** Lines of the history that contradict each other, ascending; the last one shows it. */
  readonly lines: readonly number[];
  /** List or calendar, from `/v1` on. */
  readonly place: string;
  /** Ids of the records concerned, at most ten. */
  readonly records: readonly string[];
  readonly message: string;
}

/** Reasons for which something could not be checked. */
export const GAPS = {
  'unknown-token': 'sync results of tokens that the history does not give out',
  'unknown-page': 'pages that continue lists the history does not begin',
  'forgotten-copy': 'sync results of copies that had to be forgotten, as too many were kept',
} as const;

export type GapId = keyof typeof GAPS;

/** Collects what was checked, what was found, and what could not be checked. */
export interface Findings {
  /** Counts checks of a promise. */
  checked(promise: PromiseId, times?: number): void;
  violated(violation: Violation): void;
  missed(gap: GapId): void;
}
