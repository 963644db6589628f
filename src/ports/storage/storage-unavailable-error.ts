const brand = Symbol.for('kalends.storage-unavailable-error');

/**
 * The storage cannot be reached, and did not come back within the caller's time. Reads can be repeated at any time; a change
 * may have happened all the same.
 */
export class StorageUnavailableError extends Error {
  readonly [brand] = true;

  /** Name of the database, of a storage over several. */
  readonly database?: string;

  constructor(message: string, cause: unknown, database?: string) {
    super(message, { cause });
    if (database !== undefined) this.database = database;
    this.name = 'StorageUnavailableError';
  }

  /** True for errors of any copy of this package in the process. */
  static isInstance(error: unknown): error is StorageUnavailableError {
    return error instanceof Error && brand in error;
  }
}
