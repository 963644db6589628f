import { type Logger, StorageUnavailableError } from 'kalends/ports';
import { describeError, monotonicClock, withOutageTimeout } from 'kalends/runtime';
import type { Moves } from './moves.ts';
import { PLACE_COLUMNS, type Place } from './places.ts';
import type { Shard } from './shard.ts';

/** Moves that one look takes on. */
const AT_ONCE = 500;
/** Time between two looks. */
const EVERY_MS = 60_000;

/**
 * Finishes or takes back the moves of processes that have died; without effect on others. Those that need a shard that is away stay,
 * and so do those that are left when the signal is aborted.
 */
export async function finishPendingMoves(
  home: Shard,
  moves: Pick<Moves, 'recover'>,
  signal?: AbortSignal,
): Promise<void> {
  const pending = await home.read<Place>(
    `select ${PLACE_COLUMNS} from kalends_account_place where moving_to is not null or moved_from is not null limit ${AT_ONCE}`,
  );
  for (const { accountId } of pending) {
    if (signal?.aborted) return;
    await moves.recover(accountId).catch((error: unknown) => {
      if (!StorageUnavailableError.isInstance(error)) throw error;
    });
  }
}

/**
 * Does so at once and each minute. Real time: the leases of movers pass in it, whatever clock moves wait by.
 * @returns a function that ends it, and resolves when it has ended
 */
export function watchPendingMoves(home: Shard, moves: Pick<Moves, 'recover'>, logger?: Logger): () => Promise<void> {
  const ending = new AbortController();
  const run = async () => {
    while (!ending.signal.aborted) {
      await withOutageTimeout({ limitMs: 0 }, () => finishPendingMoves(home, moves, ending.signal)).catch(
        (error: unknown) => {
          if (ending.signal.aborted || StorageUnavailableError.isInstance(error)) return;
          logger?.warn('a move of an account could not be finished', { error: describeError(error) });
        },
      );
      await monotonicClock.sleep(EVERY_MS, ending.signal).catch(() => undefined);
    }
  };
  const running = run();
  return async () => {
    ending.abort(new Error('The storage is closing'));
    await running;
  };
}
