/** Calls of one account at once: the fourth that Graph allows a mailbox stays with the foreground. */
export const CALLS_AT_ONCE = 3;

/** Processes items, three at a time. Rejects with the first failure once the running ones have ended. */
export async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  let isFailed = false;
  const takeTurns = async () => {
    for (let item = queue.shift(); item !== undefined && !isFailed; item = queue.shift()) {
      await work(item).catch((error) => {
        isFailed = true;
        throw error;
      });
    }
  };
  const turns = await Promise.allSettled(Array.from({ length: CALLS_AT_ONCE }, takeTurns));
  const failure = turns.find((turn) => turn.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
