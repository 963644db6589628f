/** The transaction has not been committed, for a reason outside of it: it can be run again. */
export class NotCommittedError extends Error {
  constructor(cause: unknown) {
    super('The connection was lost before the transaction was committed', { cause });
    this.name = 'NotCommittedError';
  }
}

/** The connection was lost during the commit, and its outcome cannot be found out. */
export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super('The connection was lost during a commit, whose outcome is unknown', { cause });
    this.name = 'UnknownOutcomeError';
  }
}

const UNIQUE_VIOLATION = '23505';
const IN_FAILED_TRANSACTION = '25P02';
const LOCK_NOT_AVAILABLE = '55P03';
/** Undefined column or table, wrong object type. */
const WRONG_TABLE = new Set(['42703', '42P01', '42809']);

/** Deadlocks and failed serializations. */
const RACES = new Set(['40001', '40P01']);

/** Two processes created the first table, or the schema, at once. @see https://www.postgresql.org/message-id/CA+TgmoZAdYVtwBfp1FL2sMZbiHCWT4UPrzRLNnX1Nb30Ku3-gg@mail.gmail.com */
const SAME_TABLE = new Set(['42P06', '42P07', '42710', 'XX000']);

/** The session has no statement of the name, has one already, or keeps a plan for tables that have changed. */
const REFUSED_NAMES = new Set(['26000', '42P05', '0A000']);

/** Server: shutting down, starting, closing idle sessions, a standby; network: no way there, or no longer. */
const LOST_CODES = new Set([
  ...['57P01', '57P02', '57P03', '57P05', '25P03', '25006', '53300'],
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ENOENT',
  ],
]);
const READ_ONLY = '25006';
/** Disk full, out of memory, an error of the disk. */
const OUT_OF_SPACE = new Set(['53100', '53200', '58030']);
const CONNECTION_EXCEPTION = '08';
/** Authorization, unknown database, resources, operator's intervention, system, internal. */
const FAULT_CLASSES = new Set(['28', '3D', '53', '57', '58', 'XX']);
/** Privileges; a database that takes no connections. */
const FAULTS = new Set(['42501', '55000']);

/** Texts of the driver's errors without a code. */
const LOST_TEXT = /^(Connection terminated|Client has encountered a connection error|timeout e|Query read timeout)/;

/** Text of the pool's error for a caller that waited too long while all connections were in use. */
const TOO_BUSY_TEXT = /^timeout exceeded/;

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === UNIQUE_VIOLATION;
}

/** Whether a select named a column that is not there, or a relation that has no rows. */
export function isWrongTable(error: unknown): boolean {
  return WRONG_TABLE.has(codeOf(error) ?? '');
}

/** Whether a statement gave up waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === LOCK_NOT_AVAILABLE;
}

/** Whether a statement was refused because one before it in its transaction had failed. */
export function isBehindFailed(error: unknown): boolean {
  return codeOf(error) === IN_FAILED_TRANSACTION;
}

/** Whether a statement failed because of the name that it was sent under. */
export function isNameRefused(error: unknown): boolean {
  return REFUSED_NAMES.has(codeOf(error) ?? '');
}

/** Whether the connection is lost, or none could be made. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined && (LOST_CODES.has(code) || code.startsWith(CONNECTION_EXCEPTION))) return true;
  return error instanceof Error && LOST_TEXT.test(error.message);
}

/** Whether the server is a replica, or its transactions are read-only. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY;
}

/** Whether the server lacks disk or memory for the statement. */
export function isOutOfSpace(error: unknown): boolean {
  return OUT_OF_SPACE.has(codeOf(error) ?? '');
}

/**
 * Whether a server answers, but does not do its work: it refuses the role or the password, has no such database, no disk or no
 * memory left, or finds its files damaged.
 */
export function isServerFault(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return FAULT_CLASSES.has(code.slice(0, 2)) || FAULTS.has(code);
}

/** Whether all connections were in use: the server itself may be well. */
export function isTooBusy(error: unknown): boolean {
  return error instanceof Error && TOO_BUSY_TEXT.test(error.message);
}

/** Whether a transaction that failed with this error has changed nothing and may succeed when it runs again. */
export function isWorthRepeating(error: unknown): boolean {
  if (error instanceof NotCommittedError) return true;
  const code = codeOf(error) ?? '';
  if (RACES.has(code)) return true;
  return (SAME_TABLE.has(code) || code === UNIQUE_VIOLATION) && isAboutCatalog(error);
}

/** The catalogue's own unique keys are named pg_…; an existing table's error names no key. */
function isAboutCatalog(error: unknown): boolean {
  if (['42P06', '42P07', '42710'].includes(codeOf(error) ?? '')) return true;
  const { constraint, message } = error as { readonly constraint?: string; readonly message?: string };
  return constraint?.startsWith('pg_') === true || message === 'tuple concurrently updated';
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
