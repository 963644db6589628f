/** Primary result codes. @see https://www.sqlite.org/rescode.html */
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

const UNUSABLE: ReadonlySet<number> = new Set([READONLY, IOERR, FULL, CANTOPEN]);
const DAMAGED: ReadonlySet<number> = new Set([CORRUPT, NOTADB]);

/** Failure of the database's files: the disk refuses (`unusable`), or pages are corrupt (`damaged`). */
export type FileFailure = 'unusable' | 'damaged';

/** Returns the failure behind an error; undefined when the error is about the statement. */
export function fileFailureOf(error: unknown): FileFailure | undefined {
  const code = primaryCodeOf(error);
  if (code === undefined) return undefined;
  if (UNUSABLE.has(code)) return 'unusable';
  return DAMAGED.has(code) ? 'damaged' : undefined;
}

/** SQLite's messages: the driver omits the code in errors of statements that return rows. */
const CODES_BY_TEXT: Readonly<Record<string, number>> = {
  'database is locked': BUSY,
  'attempt to write a readonly database': READONLY,
  'disk I/O error': IOERR,
  'database disk image is malformed': CORRUPT,
  'database or disk is full': FULL,
  'unable to open database file': CANTOPEN,
  'file is not a database': NOTADB,
};

/** SQLite's messages about a file with corrupt pages. */
export const DAMAGED_TEXTS: readonly string[] = Object.keys(CODES_BY_TEXT).filter((text) =>
  DAMAGED.has(CODES_BY_TEXT[text] ?? 0),
);

/** Whether another connection holds the database. */
export function isBusy(error: unknown): boolean {
  return primaryCodeOf(error) === BUSY;
}

function primaryCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return CODES_BY_TEXT[error.message];
}
