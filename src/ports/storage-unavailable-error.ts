const brand = Symbol.for('kalends.storage-unavailable-error');

/**
 * The storage cannot be reached, and has not come back in the time that the caller had. Reads may be repeated at any time;
 * a change whose call ended so may have happened all the same.
 */
export class StorageUnavailableError extends Error {
  readonly [brand] = true;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'StorageUnavailableError';
  }

  /** True for errors of any copy of this package in the process. */
  static isInstance(error: unknown): error is StorageUnavailableError {
    return error instanceof Error && brand in error;
  }
}
