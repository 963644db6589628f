import type { SqlDialect } from '@kalends/sql';
import { nextTurn } from 'kalends/runtime';

type Batch = SqlDialect['batch'];
type Database = Parameters<Batch>[0];
type Write = Parameters<Batch>[1];
type Answers = Awaited<ReturnType<Batch>>;

interface Waiting {
  readonly write: Write;
  resolve(answers: Answers): void;
  reject(error: unknown): void;
}

/** Greatest number of batches in one transaction: a few milliseconds of the event loop. */
const LIMIT = 64;

/**
 * Runs batches that are asked for in one turn of the event loop, or wait for the database at the same time, in one transaction: its
 * commit, which waits for the disk, serves them all. When one fails, each runs again by itself, and only the caller of that one gets the error.
 * @param runTogether runs what `take` returns, in that order, in one transaction; calls it once that has begun
 */
export function joinedBatches(
  runTogether: (database: Database, take: () => readonly Write[]) => Promise<readonly Answers[]>,
): Batch {
  const queues = new WeakMap<Database, Waiting[]>();

  async function runAlone(database: Database, { write, resolve, reject }: Waiting): Promise<void> {
    await runTogether(database, () => [write]).then(([answers = []]) => resolve(answers), reject);
  }

  async function runNext(database: Database, queue: Waiting[]): Promise<void> {
    let taken: readonly Waiting[] = [];
    const take = () => {
      taken = queue.splice(0, LIMIT);
      return taken.map(({ write }) => write);
    };
    await nextTurn();
    try {
      const answers = await runTogether(database, take);
      for (const [index, { resolve }] of taken.entries()) resolve(answers[index] ?? []);
    } catch (error) {
      if (taken.length > 1) for (const each of taken) await runAlone(database, each);
      // Without any taken, the transaction could not begin: all that wait have waited as long.
      else for (const { reject } of taken.length === 1 ? taken : queue.splice(0)) reject(error);
    }
  }

  async function serve(database: Database, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) await runNext(database, queue);
    queues.delete(database);
  }

  return (database, write) =>
    new Promise((resolve, reject) => {
      const waiting = { write, resolve, reject };
      const queue = queues.get(database);
      if (queue !== undefined) return void queue.push(waiting);
      const begun = [waiting];
      queues.set(database, begun);
      void serve(database, begun);
    });
}
