import type { Random } from 'kalends/ports';
import { randomHex } from 'kalends/runtime';
import type { Connections } from './connections.ts';
import { isConnectionLost, isLockTimeout, UnknownOutcomeError } from './failures.ts';
import { send } from './send.ts';

/** What a writing transaction leaves behind, to be recognised by: of its row, it is the transaction of this number. */
export interface CommitMark {
  readonly id: string;
  readonly transactions: number;
}

/**
 * Marks of one process. The server's own numbers of transactions do not serve: after a crash it gives out again those
 * of which nothing had reached the disk, and another's commit would be taken for ours.
 */
export interface CommitMarks {
  /** One that no other transaction has. Few rows do for many transactions: as many as run at a time. */
  take(): CommitMark;
  /** Its row may serve again. Not for that of a transaction that may still be running. */
  giveBack(mark: CommitMark): void;
  /**
   * Whether the transaction that wrote the mark was committed; it is waited for while the server still has it.
   * @throws UnknownOutcomeError when patience ends first, or what the driver threw last
   */
  wasCommitted(mark: CommitMark): Promise<boolean>;
}

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Writes the mark: its id and number. */
export const MARK = `insert into commit_mark (id, transactions, at) values ($1, $2, ${NOW})
  on conflict (id) do update set transactions = excluded.transactions, at = excluded.at`;

/**
 * Reads the number of the last committed transaction. An insert, since only that waits for a first mark whose transaction
 * has not ended, for a second at a time: a server may take long to notice that a client has gone.
 */
const ASK = `insert into commit_mark (id, transactions, at)
  select $1::text, 0, ${NOW} where set_config('lock_timeout', '1s', true) is not null
  on conflict (id) do update set transactions = commit_mark.transactions
  returning transactions::int8 = $2::int8 as "isCommitted"`;

export function createCommitMarks(connections: Connections, random: Random): CommitMarks {
  const free: CommitMark[] = [];
  const ask = async ({ id, transactions }: CommitMark) => {
    const client = await connections.acquire();
    let failure: unknown;
    try {
      const { statementTimeoutMs: timeoutMs } = connections;
      const { rows } = await send(client, { text: ASK, parameters: [id, transactions], timeoutMs });
      return rows[0]?.isCommitted === true;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      connections.release(client, failure);
    }
  };
  return {
    take() {
      const { id, transactions } = free.pop() ?? { id: randomHex(random, 16), transactions: 0 };
      return { id, transactions: transactions + 1 };
    },
    giveBack: (mark) => void free.push(mark),
    async wasCommitted(mark) {
      const patience = connections.patience();
      for (;;) {
        try {
          return await ask(mark);
        } catch (error) {
          if (!isConnectionLost(error) && !isLockTimeout(error)) throw new UnknownOutcomeError(error);
          await patience.wait(isLockTimeout(error) ? new UnknownOutcomeError(error) : error);
        }
      }
    },
  };
}
