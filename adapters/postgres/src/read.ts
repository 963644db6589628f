import type { QueryResult } from 'pg';
import type { Connections } from './connections.ts';
import { isConnectionLost } from './failures.ts';
import { type Statement, send } from './send.ts';

export type Reading = Omit<Statement, 'timeoutMs'>;

/**
 * Runs a reading statement by itself: one whose connection is lost is sent again.
 * @throws StorageUnavailableError when the caller's patience with an outage ends; what the server says of the statement
 */
export async function read(connections: Connections, reading: Reading): Promise<QueryResult> {
  const patience = connections.patience();
  for (;;) {
    const client = await connections.acquire();
    let failure: unknown;
    try {
      return await send(client, { ...reading, timeoutMs: connections.statementTimeoutMs });
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      failure = error;
    } finally {
      connections.release(client, failure);
    }
    await patience.wait(failure);
  }
}
