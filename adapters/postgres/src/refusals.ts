import { type Clock, type Logger, StorageUnavailableError } from 'kalends/ports';
import { isOutOfSpace, isReadOnly } from './failures.ts';

/** A write that succeeds does not prove a disk sound: one that needs no new page succeeds on a full one. */
const QUIET_MS = 30_000;

/** Remembers that a server answers, and refuses writes. */
export interface Refusals {
  /** Notes an error if it is a refusal. */
  note(error: unknown): void;
  /** Notes a write that was committed. */
  written(): void;
  /** Since when the server has taken no writes because it is a replica, or read-only. */
  readonly readOnlySince: number | undefined;
  /** Says that disk or memory was full within the last half minute, for the operator to mend; null when it was not. */
  readonly fault: string | null;
}

interface Refusal {
  readonly since: number;
  readonly at: number;
  readonly reason: string;
  readonly isReadOnly: boolean;
}

export function createRefusals(clock: Clock, logger: Logger): Refusals {
  let last: Refusal | undefined;
  const isOver = ({ isReadOnly, at }: Refusal) => isReadOnly || clock.now() - at >= QUIET_MS;
  return {
    note(error) {
      if (!isReadOnly(error) && !isOutOfSpace(error)) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (last === undefined) logger.error('the database cannot be written', { error: reason });
      last = { since: last?.since ?? clock.now(), at: clock.now(), reason, isReadOnly: isReadOnly(error) };
    },
    written() {
      if (last === undefined || !isOver(last)) return;
      const { since } = last;
      last = undefined;
      logger.info('the database can be written again', { durationMs: clock.now() - since });
    },
    get readOnlySince() {
      return last?.isReadOnly === true ? last.since : undefined;
    },
    get fault() {
      return last === undefined || isOver(last)
        ? null
        : `the database cannot be written (${last.reason}); is its disk full?`;
    },
  };
}

/** Makes the error of callers whose statement a full disk or memory failed. */
export function outOfSpace(error: unknown): StorageUnavailableError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StorageUnavailableError(`The database's server is out of space: ${reason}`, error);
}
