import type { Random } from 'kalends/ports';
import { randomHex } from 'kalends/runtime';
import type { Connections } from './connections.ts';
import { isConnectionLost, isLockTimeout, UnknownOutcomeError } from './failures.ts';
import { send } from './send.ts';

/** Mark of a writing transaction: the number that it gave its row. Why: docs/decisions/0012-commit-marks.md */
export interface CommitMark {
  readonly id: string;
  readonly transactions: number;
}

/**
 * Marks of one process. The server's own transaction numbers do not serve: after a crash it gives out again those of which
 * nothing had reached the disk, and another transaction's commit would be taken for ours.
 */
export interface CommitMarks {
  /** The statement that writes a mark; its parameters are the mark's id and number. */
  readonly writeText: string;
  /** Returns a mark that no other transaction has. It needs as many rows as transactions run at a time. */
  take(): CommitMark;
  /** Frees the mark's row for another transaction; not for the mark of one that may still be running. */
  giveBack(mark: CommitMark): void;
  /**
   * Returns whether the transaction that wrote the mark was committed, and waits while the server still runs it.
   * @throws UnknownOutcomeError when the timeout ends first, or what the driver threw last
   */
  wasCommitted(mark: CommitMark): Promise<boolean>;
}

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Writes a mark, by its id and number. */
const WRITE = `insert into kalends_commit_mark (id, transactions, at) values ($1, $2, ${NOW})
  on conflict (id) do update set transactions = excluded.transactions, at = excluded.at`;

/**
 * Reads the number of the last committed transaction. An insert, since only an insert waits for a first mark whose transaction
 * has not ended. It waits a second at a time: a server may take long to notice that a client has gone.
 */
const ASK = `insert into kalends_commit_mark (id, transactions, at)
  select $1::text, 0, ${NOW} where set_config('lock_timeout', '1s', true) is not null
  on conflict (id) do update set transactions = kalends_commit_mark.transactions
  returning transactions::int8 = $2::int8 as "isCommitted"`;

export function createCommitMarks(
  connections: Connections,
  random: Random,
  inText: (text: string) => string,
): CommitMarks {
  const free: CommitMark[] = [];
  const ask = async ({ id, transactions }: CommitMark) => {
    const client = await connections.acquire();
    let failure: unknown;
    try {
      const { statementTimeoutMs: timeoutMs } = connections;
      const { rows } = await send(client, { text: inText(ASK), parameters: [id, transactions], timeoutMs });
      return rows[0]?.isCommitted === true;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      connections.release(client, failure);
    }
  };
  return {
    writeText: inText(WRITE),
    take() {
      const { id, transactions } = free.pop() ?? { id: randomHex(random, 16), transactions: 0 };
      return { id, transactions: transactions + 1 };
    },
    giveBack: (mark) => void free.push(mark),
    async wasCommitted(mark) {
      const backoff = connections.outageBackoff();
      for (;;) {
        try {
          return await ask(mark);
        } catch (error) {
          if (!isConnectionLost(error) && !isLockTimeout(error)) throw new UnknownOutcomeError(error);
          await backoff.wait(isLockTimeout(error) ? new UnknownOutcomeError(error) : error);
        }
      }
    },
  };
}
